import { isIP } from 'node:net'

/** Begins an entry whose name may also lead to this machine or into a private network. */
export const PRIVATE = 'private:'

/** One entry of a granted list of hosts. */
export interface GrantedHost {
  /** A host name, `*.suffix`, or an address. */
  readonly name: string
  /** Null: every port. */
  readonly port: number | null
  /** The name may lead anywhere, not only to public addresses. */
  readonly anywhere: boolean
}

/** Reads `example.com`, `*.example.com`, `10.0.0.5`, `[fe80::1]:80`, `db.example.com:5432` and `private:db.lan:5432`. */
export function grantedHost(entry: string): GrantedHost {
  const text = entry.trim().toLowerCase()
  const anywhere = text.startsWith(PRIVATE)
  const host = plainHost(anywhere ? text.slice(PRIVATE.length) : text)
  if (isIP(host) !== 0) return { name: host, port: null, anywhere }
  const [, name, port] = /^(.+):(\d{1,5})$/.exec(host) ?? [null, host, null]
  return { name: plainHost(name), port: port === null ? null : Number(port), anywhere }
}

/** Lower-case, without the brackets of an IPv6 address and the dot at the end of a full name. */
export function plainHost(host: string): string {
  return host
    .trim()
    .toLowerCase()
    .replace(/\.$/, '')
    .replace(/^\[([^\]]*)\]$/, '$1')
}

import { isIP } from 'node:net'
import { grantedHost } from './granted-host.ts'

/** Below this, nobody in a sandbox may listen. */
const FIRST_PORT = 1024
const THIS_MACHINE = '127.0.0.1'

/** Where in a sandbox a granted host is found by programs that know no proxy. */
export interface Tunnel {
  readonly host: string
  readonly port: number
  /** An address of the sandbox itself. */
  readonly address: string
}

/**
 * Tunnels to the granted hosts that name a port: databases and the like, whose protocols know no proxy. A name leads to an
 * address of the sandbox; other literal addresses cannot be led anywhere. `taken` is the port that something else has.
 */
export function tunnelsTo(hosts: readonly string[], taken: number): Tunnel[] {
  const addresses = new Map([
    ['localhost', THIS_MACHINE],
    [THIS_MACHINE, THIS_MACHINE],
  ])
  return hosts.flatMap((entry) => {
    const { name: host, port } = grantedHost(entry)
    if (port === null || port < FIRST_PORT || port > 65_535 || host.startsWith('*.')) return []
    if (isIP(host) !== 0 && host !== THIS_MACHINE) return []
    const address = addresses.get(host) ?? `127.0.0.${addresses.size}`
    addresses.set(host, address)
    return address === THIS_MACHINE && port === taken ? [] : [{ host, port, address }]
  })
}

/** The content of /etc/hosts in the sandbox. */
export function hostsFile(tunnels: readonly Tunnel[]): string {
  const lines = new Set([`${THIS_MACHINE} localhost`, ...tunnels.map(({ address, host }) => `${address} ${host}`)])
  lines.delete(`${THIS_MACHINE} ${THIS_MACHINE}`)
  return [...lines].map((line) => `${line}\n`).join('')
}

/** One argument for the bridge. */
export function tunnelsArgument(tunnels: readonly Tunnel[]): string {
  return tunnels.map(({ address, port, host }) => `${address}:${port}=${host}`).join(',')
}

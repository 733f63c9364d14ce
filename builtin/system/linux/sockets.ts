import type { Each, EachWanted } from '../../../server/modules/machines.ts'
import { countOf } from './kernel-texts.ts'

const PROTOCOLS = ['tcp', 'tcp6', 'udp', 'udp6'] as const
const socketFile = (protocol: string) => `/proc/net/${protocol}`
export const SOCKET_FILES = PROTOCOLS.map(socketFile)
/** What every process has open; only root sees those of other users. */
export const OPEN_FILES: EachWanted = { numbers: true, files: [], links: 'fd', max: 0 }

interface ListeningSocket {
  readonly protocol: (typeof PROTOCOLS)[number]
  readonly address: string
  readonly port: number
  readonly uid: number
  readonly inode: string
}

/** Listening TCP sockets, and UDP sockets that are bound but not connected, in this network namespace. */
export function parseListeningSockets(text: (path: string) => string | null): ListeningSocket[] {
  return PROTOCOLS.flatMap((protocol) => {
    const lines = (text(socketFile(protocol)) ?? '').trim().split('\n').slice(1)
    const listening = protocol.startsWith('tcp') ? '0A' : '07'
    return lines.flatMap((line) => {
      const [, local = '', , state, , , , uid, , inode = ''] = line.trim().split(/\s+/)
      if (state !== listening) return []
      const [hex = '', port = ''] = local.split(':')
      const address = decodeAddress(hex)
      if (address === null || !/^[0-9A-F]{1,4}$/i.test(port)) return []
      return [{ protocol, address, port: Number.parseInt(port, 16), uid: countOf(uid), inode }]
    })
  })
}

/** The process that holds each socket, by inode. */
export function parseSocketOwners(directories: readonly Each[], inodes: ReadonlySet<string>): Map<string, number> {
  const owners = new Map<string, number>()
  for (const { name, links } of directories) {
    for (const file of links) {
      if (!file.startsWith('socket:[')) continue
      const inode = /^socket:\[(\d+)\]$/.exec(file)?.[1]
      if (inode !== undefined && inodes.has(inode) && !owners.has(inode)) owners.set(inode, Number(name))
    }
  }
  return owners
}

/**
 * 32-bit words in the machine's byte order, which is little-endian wherever Node runs on Linux except s390x. Null for what
 * is no address.
 */
export function decodeAddress(hex: string): string | null {
  if (!/^(?:[0-9a-f]{8}|[0-9a-f]{32})$/i.test(hex)) return null
  const bytes = Buffer.from(hex, 'hex')
  for (let i = 0; i < bytes.length; i += 4) bytes.subarray(i, i + 4).reverse()
  if (bytes.length === 4) return bytes.join('.')
  return ipv6Text(Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(i * 2).toString(16)))
}

/** Of eight groups; the URL parser writes IPv6 in its canonical, compressed form. */
export function ipv6Text(groups: readonly string[]): string {
  return new URL(`http://[${groups.join(':')}]/`).hostname.slice(1, -1)
}

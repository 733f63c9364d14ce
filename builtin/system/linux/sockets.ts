import { readdirSync, readlinkSync } from 'node:fs'
import { processIds } from './process-table.ts'
import { readKernelFile, visitAll } from './proc.ts'

export interface ListeningSocket {
  readonly protocol: 'tcp' | 'tcp6' | 'udp' | 'udp6'
  readonly address: string
  readonly port: number
  readonly uid: number
  readonly inode: string
}

/** Listening TCP sockets, and UDP sockets that are bound but not connected, in this network namespace. */
export function readListeningSockets(): ListeningSocket[] {
  return (['tcp', 'tcp6', 'udp', 'udp6'] as const).flatMap((protocol) => {
    const lines = (readKernelFile(`/proc/net/${protocol}`) ?? '').trim().split('\n').slice(1)
    const listening = protocol.startsWith('tcp') ? '0A' : '07'
    return lines.flatMap((line) => {
      const [, local = '', , state, , , , uid, , inode = ''] = line.trim().split(/\s+/)
      if (state !== listening) return []
      const [address = '', port = ''] = local.split(':')
      return [{ protocol, address: decodeAddress(address), port: Number.parseInt(port, 16), uid: Number(uid), inode }]
    })
  })
}

/** The process that holds each socket, by inode; only root sees those of other users. */
export async function readSocketOwners(inodes: ReadonlySet<string>, signal: AbortSignal): Promise<Map<string, number>> {
  const owners = new Map<string, number>()
  await visitAll(
    processIds(),
    (pid) => {
      for (const file of openFiles(pid)) {
        const inode = /^socket:\[(\d+)\]$/.exec(file)?.[1]
        if (inode !== undefined && inodes.has(inode) && !owners.has(inode)) owners.set(inode, pid)
      }
    },
    signal,
  )
  return owners
}

function openFiles(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`)
      .slice(0, 4096)
      .flatMap((name) => {
        try {
          return [readlinkSync(`/proc/${pid}/fd/${name}`)]
        } catch {
          return []
        }
      })
  } catch {
    return []
  }
}

/** 32-bit words in the machine's byte order, which is little-endian wherever Node runs on Linux except s390x. */
export function decodeAddress(hex: string): string {
  const bytes = Buffer.from(hex, 'hex')
  for (let i = 0; i < bytes.length; i += 4) bytes.subarray(i, i + 4).reverse()
  if (bytes.length === 4) return bytes.join('.')
  const groups = Array.from({ length: 8 }, (_, i) => bytes.readUInt16BE(i * 2).toString(16)).join(':')
  // The URL parser writes IPv6 in its canonical, compressed form.
  return new URL(`http://[${groups}]/`).hostname.slice(1, -1)
}

import { decodeAddress } from './sockets.ts'
import { readKernelFile } from './proc.ts'

/** `192.0.2.1 by eth0`, one for each default route. */
export function readDefaultRoutes(): string[] {
  const v4 = (readKernelFile('/proc/net/route') ?? '')
    .trim()
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [device = '', destination, gateway = '', , , , , mask] = line.split('\t')
      return destination === '00000000' && mask === '00000000'
        ? [`${gateway === '00000000' ? 'directly' : decodeAddress(gateway)} by ${device}`]
        : []
    })
  const v6 = (readKernelFile('/proc/net/ipv6_route') ?? '')
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [destination = '', length, , , gateway = '', , , , , device = ''] = line.trim().split(/\s+/)
      if (!/^0{32}$/.test(destination) || length !== '00' || device === 'lo') return []
      // Unlike the socket tables, this one is in network byte order.
      return [`${new URL(`http://[${gateway.match(/.{4}/g)?.join(':')}]/`).hostname.slice(1, -1)} by ${device}`]
    })
  return [...v4, ...v6]
}

export function readNameServers(): string[] {
  return [...(readKernelFile('/etc/resolv.conf') ?? '').matchAll(/^nameserver\s+(\S+)/gm)].map(
    (match) => match[1] ?? '',
  )
}

import { decodeAddress, ipv6Text } from './sockets.ts'

/** `192.0.2.1 by eth0`, one for each default route of /proc/net/route and /proc/net/ipv6_route. */
export function parseDefaultRoutes(v4: string | null, v6: string | null): string[] {
  const routes4 = (v4 ?? '')
    .trim()
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [device = '', destination, gateway = '', , , , , mask] = line.split('\t')
      if (destination !== '00000000' || mask !== '00000000') return []
      return [`${gateway === '00000000' ? 'directly' : (decodeAddress(gateway) ?? 'directly')} by ${device}`]
    })
  const routes6 = (v6 ?? '')
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [destination = '', length, , , gateway = '', , , , , device = ''] = line.trim().split(/\s+/)
      if (!/^0{32}$/.test(destination) || length !== '00' || device === 'lo') return []
      // Unlike the socket tables, this one is in network byte order.
      return /^[0-9a-f]{32}$/i.test(gateway) ? [`${ipv6Text(gateway.match(/.{4}/g) ?? [])} by ${device}`] : []
    })
  return [...routes4, ...routes6]
}

/** Of /etc/resolv.conf. */
export function parseNameServers(text: string | null): string[] {
  return [...(text ?? '').matchAll(/^nameserver[ \t]{1,20}(\S{1,100})/gm)].map((match) => match[1] ?? '').slice(0, 20)
}

import { BlockList, isIPv4, isIPv6 } from 'node:net'

/**
 * `public`: somewhere on the internet. `private`: this machine, its networks, and ranges that are for no host on the internet.
 * `never`: no service that anybody means to reach, but where clouds hand out the credentials of a machine, and multicast.
 */
export type AddressKind = 'public' | 'private' | 'never'

const NEVER = list(
  ['169.254.169.254', 32],
  ['169.254.170.2', 32],
  ['100.100.100.200', 32],
  ['168.63.129.16', 32],
  ['224.0.0.0', 4],
  ['255.255.255.255', 32],
  ['fd00:ec2::254', 128],
  ['ff00::', 8],
)
const PRIVATE_V4 = list(
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['240.0.0.0', 4],
)
/** Of IPv6 only this is the internet, less what is set apart in it: Teredo and its like, documentation, 6to4. */
const GLOBAL_V6 = list(['2000::', 3])
const SPECIAL_V6 = list(['2001::', 23], ['2001:db8::', 32], ['2002::', 16], ['3fff::', 20])

/** What kind of place an IP address is; an IPv6 form of an IPv4 address is judged as that. No address at all is `never`. */
export function addressKind(address: string): AddressKind {
  const plain = address.replace(/%.*$/, '')
  if (isIPv4(plain)) return kindOfV4(plain)
  if (!isIPv6(plain)) return 'never'
  const embedded = embeddedV4(plain)
  if (embedded !== null) return kindOfV4(embedded)
  if (NEVER.check(plain, 'ipv6')) return 'never'
  return GLOBAL_V6.check(plain, 'ipv6') && !SPECIAL_V6.check(plain, 'ipv6') ? 'public' : 'private'
}

function kindOfV4(address: string): AddressKind {
  if (NEVER.check(address, 'ipv4')) return 'never'
  return PRIVATE_V4.check(address, 'ipv4') ? 'private' : 'public'
}

/** `::ffff:a.b.c.d` (mapped) and `64:ff9b::a.b.c.d` (NAT64) lead to an IPv4 address. */
function embeddedV4(address: string): string | null {
  // The URL parser gives the one canonical form: hexadecimal groups, the longest run of zeros as `::`.
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const groups = /^(?:::ffff:|64:ff9b::)([0-9a-f]{1,4})(?::([0-9a-f]{1,4}))?$/.exec(canonical)
  if (groups === null) return null
  const [high, low] = groups[2] === undefined ? ['0', groups[1]!] : [groups[1]!, groups[2]]
  return [high, low]
    .map((group) => Number.parseInt(group, 16))
    .flatMap((pair) => [pair >> 8, pair & 255])
    .join('.')
}

function list(...ranges: readonly (readonly [string, number])[]): BlockList {
  const blocks = new BlockList()
  for (const [network, prefix] of ranges) blocks.addSubnet(network, prefix, isIPv4(network) ? 'ipv4' : 'ipv6')
  return blocks
}

import { BlockList, isIPv4, isIPv6 } from 'node:net'
import { embeddedV4 } from './embedded-v4.ts'

/**
 * `public`: somewhere on the internet. `private`: this machine, its networks, and ranges not assigned to internet
 * hosts.
 * `never`: nothing anyone would legitimately reach: where clouds hand out a machine's credentials, and multicast.
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
/** The part of IPv6 that is the internet, minus the ranges reserved in it: Teredo and the like, documentation, 6to4. */
const GLOBAL_V6 = list(['2000::', 3])
const SPECIAL_V6 = list(['2001::', 23], ['2001:db8::', 32], ['2002::', 16], ['3fff::', 20])

/**
 * The kind of an IP address; an IPv6 form of an IPv4 address is judged as that address. Anything that is not an address
 * is `never`.
 */
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

function list(...ranges: readonly (readonly [string, number])[]): BlockList {
  const blocks = new BlockList()
  for (const [network, prefix] of ranges) blocks.addSubnet(network, prefix, isIPv4(network) ? 'ipv4' : 'ipv6')
  return blocks
}

import { isIPv6 } from 'node:net'
import { embeddedV4 } from './embedded-v4.ts'

/**
 * What counts as one address when requests or failures are counted: an IPv4 address, or the /64 of an IPv6 address,
 * because a subscriber owns a whole one (`2001:db8:0:1::/64`). All spellings of an address give the same result.
 */
export function addressNetwork(address: string): string {
  const plain = address.replace(/%.*$/, '')
  if (!isIPv6(plain)) return plain
  const v4 = embeddedV4(plain)
  if (v4 !== null) return v4
  // The URL parser produces the one canonical form: hexadecimal groups, with the longest run of zeros as `::`.
  const [head = '', tail] = new URL(`http://[${plain}]`).hostname.slice(1, -1).split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const full = [...left, ...Array<string>(8 - left.length - right.length).fill('0'), ...right]
  return `${full.slice(0, 4).join(':')}::/64`
}

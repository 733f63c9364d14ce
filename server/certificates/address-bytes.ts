import { isIPv4 } from 'node:net'

/** The 4 or 16 bytes of an IP address. */
export function addressBytes(address: string): ArrayBuffer {
  if (isIPv4(address)) return Uint8Array.from(address.split('.'), Number).buffer
  const [head = '', tail] = canonicalV6(address).split('::')
  const before = groupsOf(head)
  const after = groupsOf(tail ?? '')
  const zeros: string[] = Array.from({ length: 8 - before.length - after.length }, () => '0')
  return Uint8Array.from(
    [...before, ...zeros, ...after].flatMap((group) => {
      const pair = Number.parseInt(group, 16)
      return [pair >> 8, pair & 255]
    }),
  ).buffer
}

/** The one way to write an IPv6 address that RFC 5952 recommends. */
export function canonicalV6(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1)
}

function groupsOf(text: string): string[] {
  return text === '' ? [] : text.split(':')
}

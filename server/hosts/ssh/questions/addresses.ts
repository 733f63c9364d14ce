import type { Question } from '../ask.ts'

/** `Machine.addresses`, as `ip` says, or `ifconfig` where there is none. */
export const ADDRESSES_QUESTION: Question = {
  script: 'ip -o addr show 2>/dev/null || ifconfig -a 2>/dev/null\nexit 0',
  most: 4 * 1024 * 1024,
}

export function parseAddresses(text: string): Map<string, string[]> {
  const addresses = new Map<string, string[]>()
  const add = (name: string, address: string): void => {
    addresses.set(name, [...(addresses.get(name) ?? []), address])
  }
  let last = ''
  for (const line of text.split('\n')) {
    // `2: eth0    inet 192.0.2.7/24 brd …`, `2: veth1@if3 …`
    const found = /^\d+:\s+([^\s@]+)\S*\s+inet6?\s+([0-9a-fA-F:.]+)(\/\d+)?/.exec(line)
    if (found !== null) {
      const [, name = '', address = '', length = address.includes(':') ? '/128' : '/32'] = found
      add(name, address + length)
      continue
    }
    // `en0: flags=8863<UP…`, then `\tinet 192.0.2.7 netmask 0xffffff00 …` and `\tinet6 fe80::1%en0 prefixlen 64 …`
    const name = /^([^\s:]+):? /.exec(line)?.[1]
    if (name !== undefined) last = name
    const [, address, , length] = /\sinet6? ([0-9a-fA-F:.]+)(%\S+)?.*?(?:netmask|prefixlen) (\S+)/.exec(line) ?? []
    if (address !== undefined && length !== undefined) add(last, `${address}/${bitsOf(length)}`)
  }
  return addresses
}

/** Of `64`, `0xffffff00` or `255.255.255.0`. */
function bitsOf(mask: string): number {
  if (/^\d+$/.test(mask)) return Number(mask)
  const value = mask.startsWith('0x') ? [Number(mask)] : mask.split('.').map(Number)
  return value.reduce((sum, part) => sum + part.toString(2).replaceAll('0', '').length, 0)
}

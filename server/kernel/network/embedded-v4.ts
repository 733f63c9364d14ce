/**
 * The IPv4 address an IPv6 address leads to: `::ffff:a.b.c.d` (mapped) and `64:ff9b::a.b.c.d` (NAT64); null for others.
 */
export function embeddedV4(address: string): string | null {
  // The URL parser produces the one canonical form: hexadecimal groups, with the longest run of zeros as `::`.
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const groups = /^(?:::ffff:|64:ff9b::)([0-9a-f]{1,4})(?::([0-9a-f]{1,4}))?$/.exec(canonical)
  if (groups === null) return null
  const [high, low] = groups[2] === undefined ? ['0', groups[1]!] : [groups[1]!, groups[2]]
  return [high, low]
    .map((group) => Number.parseInt(group, 16))
    .flatMap((pair) => [pair >> 8, pair & 255])
    .join('.')
}

/** An IPv6 address in the canonical form recommended by RFC 5952. */
export function canonicalV6(address: string): string {
  return new URL(`http://[${address}]`).hostname.slice(1, -1)
}

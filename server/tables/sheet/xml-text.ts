const NAMED: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

/** Decodes text: entities resolved, line ends as one character. An unknown entity stays as is. */
export function xmlText(raw: string): string {
  const text = raw.includes('\r') ? raw.replace(/\r\n?/g, '\n') : raw
  if (!text.includes('&')) return text
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|([a-z]{2,4}));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return NAMED[name as string] ?? whole
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex as string, 16)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}

/**
 * The attributes of a tag by their names as written, or as `nameOf` maps them; values resolved. The first of two
 * duplicates counts.
 */
export function xmlAttributes(attributes: string, nameOf?: (given: string) => string): Map<string, string> {
  const found = new Map<string, string>()
  for (let at = 0; ;) {
    const equals = attributes.indexOf('=', at)
    if (equals < 0) return found
    let start = equals + 1
    while (attributes.charCodeAt(start) <= 0x20) start++
    const quote = attributes[start]
    if (quote !== '"' && quote !== "'") return found
    const end = attributes.indexOf(quote, start + 1)
    if (end < 0) return found
    const given = attributes.slice(at, equals).trim()
    const name = nameOf === undefined ? given : nameOf(given)
    if (!found.has(name)) found.set(name, xmlText(attributes.slice(start + 1, end)))
    at = end + 1
  }
}

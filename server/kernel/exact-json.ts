/** A run of digits that a double may not hold; inside of a text it does no harm to look closer. */
const LONG_NUMBER = /\d{16}/

/** JSON whose numbers keep their digits: an integer beyond 2^53 becomes a text of its digits. @throws {SyntaxError} */
export function parseExactJson(text: string): unknown {
  if (!LONG_NUMBER.test(text)) return JSON.parse(text)
  return JSON.parse(text, (_key, value: unknown, context?: { source?: string }) => {
    if (typeof value !== 'number' || Number.isSafeInteger(value) || !Number.isInteger(value)) return value
    const source = context?.source
    return source !== undefined && /^-?\d+$/.test(source) ? source : value
  })
}

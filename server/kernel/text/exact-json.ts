/** A run of digits that a double may not represent; a match inside a string only costs a closer look. */
const LONG_NUMBER = /\d{16}/

/** Parses JSON without losing digits: an integer beyond 2^53 becomes a string of its digits. @throws {SyntaxError} */
export function parseExactJson(text: string): unknown {
  if (!LONG_NUMBER.test(text)) return JSON.parse(text)
  return JSON.parse(text, (_key, value: unknown, context?: { source?: string }) => {
    if (typeof value !== 'number' || Number.isSafeInteger(value) || !Number.isInteger(value)) return value
    const source = context?.source
    return source !== undefined && /^-?\d+$/.test(source) ? source : value
  })
}

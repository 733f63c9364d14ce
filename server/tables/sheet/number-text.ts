/**
 * A number as the shortest text that means the same double: files contain 1.1000000000000001 for 1.1. Whole numbers
 * keep digits beyond the precision of a double. Null when it isn't a number.
 */
export function numberText(raw: string): string | null {
  if (isPlain(raw)) return raw
  const text = raw.trim()
  if (/^-?[1-9]\d{15,}$/.test(text)) return text
  const value = Number(text)
  return text === '' || !Number.isFinite(value) ? null : String(value)
}

/** Already in its shortest form: at most 15 digits, no zeros at either end, no exponent. */
function isPlain(text: string): boolean {
  const { length } = text
  if (length === 0 || length > 15) return false
  const first = text.charCodeAt(0)
  if (first === 0x30) {
    if (length > 1 && text.charCodeAt(1) !== 0x2e) return false
    // Small numbers are written with an exponent.
    if (length > 6) return false
  } else if (first < 0x31 || first > 0x39) return false
  let point = false
  for (let i = 1; i < length; i++) {
    const code = text.charCodeAt(i)
    if (code === 0x2e) {
      if (point) return false
      point = true
    } else if (code < 0x30 || code > 0x39) return false
  }
  const last = text.charCodeAt(length - 1)
  return !point || (last !== 0x30 && last !== 0x2e)
}

/*
 * Signs that reveal an undeclared text encoding, in the order in which they are checked: a byte order mark, zero bytes,
 * valid or nearly valid UTF-8. Text with none of them is left to guess-encoding.ts.
 */

export function encodingByMark([a, b, c]: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' | null {
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8'
  if (a === 0xff && b === 0xfe) return 'utf-16le'
  if (a === 0xfe && b === 0xff) return 'utf-16be'
  return null
}

/** UTF-16 without a byte order mark: line ends, spaces and digits have a zero byte, always on the same side. */
export function encodingByZeros(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  let even = 0
  let odd = 0
  for (let at = bytes.indexOf(0); at >= 0; at = bytes.indexOf(0, at + 1)) {
    if (at % 2 === 0) even++
    else odd++
    if (even > 0 && odd > 0) return null
  }
  // A few zeros in a long text are an error in it, not a sign of UTF-16.
  if (even + odd < Math.max(1, bytes.length / 100)) return null
  return odd > 0 ? 'utf-16le' : 'utf-16be'
}

/**
 * Counts what is beyond ASCII in a text decoded as UTF-8, with errors as U+FFFD. If more of it is intact than broken,
 * it is UTF-8 nonetheless, like a log with one broken line: high bytes of other encodings are hardly ever valid UTF-8.
 */
export function countIntact(text: string): { intact: number; broken: number } {
  let intact = 0
  let broken = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 0xfffd) broken++
    else if (unit > 0x7f) intact++
  }
  return { intact, broken }
}

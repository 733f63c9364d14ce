/** WHATWG labels of the encodings that text is read in. */
export type EncodingName = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1251' | 'windows-1252'

/*
 * The signs by which text tells the encoding that nobody wrote down, in the order in which they are asked: a byte order mark, zeros,
 * being UTF-8 or nearly so, and else how the letters stand together.
 */

export function encodingByMark([a, b, c]: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' | null {
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8'
  if (a === 0xff && b === 0xfe) return 'utf-16le'
  if (a === 0xfe && b === 0xff) return 'utf-16be'
  return null
}

/** UTF-16 without a mark: line ends, blanks and digits have a zero byte, always on the same side. */
export function encodingByZeros(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | null {
  let even = 0
  let odd = 0
  for (let at = bytes.indexOf(0); at >= 0; at = bytes.indexOf(0, at + 1)) {
    if (at % 2 === 0) even++
    else odd++
    if (even > 0 && odd > 0) return null
  }
  // A few zeros in a long text are a fault in it, not a sign of UTF-16.
  if (even + odd < Math.max(1, bytes.length / 100)) return null
  return odd > 0 ? 'utf-16le' : 'utf-16be'
}

/**
 * Whether text that was decoded as UTF-8, faults as U+FFFD, is UTF-8 all the same. A log with a broken line in it is: what other
 * encodings have in high bytes is hardly ever valid.
 */
export function isMostlyIntact(text: string): boolean {
  let intact = 0
  let broken = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 0xfffd) broken++
    else if (unit > 0x7f) intact++
  }
  return intact > 4 * broken
}

/**
 * Cyrillic words in windows-1251 are runs of high bytes; in the western languages of windows-1252 a high byte mostly stands alone
 * among ASCII letters.
 */
export function encodingByLetters(bytes: Uint8Array): 'windows-1251' | 'windows-1252' {
  let letters = 0
  let joined = 0
  for (let at = 0; at < bytes.length; at++) {
    if (!isHighLetter(bytes[at])) continue
    letters++
    if (isHighLetter(bytes[at - 1]) || isHighLetter(bytes[at + 1])) joined++
  }
  return joined * 2 > letters ? 'windows-1251' : 'windows-1252'
}

function isHighLetter(byte: number | undefined): boolean {
  return byte !== undefined && (byte >= 0xc0 || byte === 0xa8 || byte === 0xb8)
}

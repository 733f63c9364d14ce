import { storable } from '../kernel/text.ts'

export interface DecodedText {
  readonly text: string
  /** WHATWG label. */
  readonly encoding: 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1251' | 'windows-1252'
  /** Places that are no valid UTF-8, shown as U+FFFD. */
  readonly broken: number
}

/** More of it in control characters than this, and it is no text. */
const CONTROL_SHARE = 0.005

/**
 * The text of a file whose encoding nobody wrote down: by its byte order mark, else UTF-16 by where its zeros are, else
 * UTF-8, else windows-1251 or windows-1252 by how the letters stand together. Null when it is not text.
 * @param cutOff `bytes` is only the beginning of the file, which may end inside a character.
 */
export function decodeText(bytes: Uint8Array, cutOff: boolean): DecodedText | null {
  const decoded = byMark(bytes, cutOff) ?? byZeros(bytes, cutOff) ?? asUtf8(bytes, cutOff) ?? asLegacy(bytes)
  if (count(decoded.text, isControl) > decoded.text.length * CONTROL_SHARE) return null
  return { ...decoded, text: storable(decoded.text) }
}

function byMark(bytes: Uint8Array, cutOff: boolean): DecodedText | null {
  const [a, b, c] = bytes
  if (a === 0xef && b === 0xbb && c === 0xbf) return lossy('utf-8', bytes, cutOff)
  if (a === 0xff && b === 0xfe) return lossy('utf-16le', bytes, cutOff)
  if (a === 0xfe && b === 0xff) return lossy('utf-16be', bytes, cutOff)
  return null
}

/** UTF-16 without a mark: line ends, blanks and digits have a zero byte, always on the same side. */
function byZeros(bytes: Uint8Array, cutOff: boolean): DecodedText | null {
  let even = 0
  let odd = 0
  for (let at = bytes.indexOf(0); at >= 0; at = bytes.indexOf(0, at + 1)) {
    if (at % 2 === 0) even++
    else odd++
    if (even > 0 && odd > 0) return null
  }
  if (even + odd === 0 || (!cutOff && bytes.length % 2 === 1)) return null
  // One zero in a long file is a fault in it, not a sign of UTF-16.
  if (even + odd < bytes.length / 100) return null
  return strict(odd > 0 ? 'utf-16le' : 'utf-16be', bytes, cutOff)
}

function asUtf8(bytes: Uint8Array, cutOff: boolean): DecodedText | null {
  const exact = strict('utf-8', bytes, cutOff)
  if (exact) return exact
  // A log with a broken line in it is still UTF-8: what other encodings have in high bytes is hardly ever valid.
  const mended = lossy('utf-8', bytes, cutOff)
  const intact = count(mended.text, (unit) => unit > 0x7f) - mended.broken
  return intact > 4 * mended.broken ? mended : null
}

/**
 * Cyrillic words in windows-1251 are runs of high bytes; in the western languages of windows-1252 a high byte mostly
 * stands alone among ASCII letters.
 */
function asLegacy(bytes: Uint8Array): DecodedText {
  let letters = 0
  let joined = 0
  for (let at = 0; at < bytes.length; at++) {
    if (!isHighLetter(bytes[at])) continue
    letters++
    if (isHighLetter(bytes[at - 1]) || isHighLetter(bytes[at + 1])) joined++
  }
  const encoding = joined * 2 > letters ? 'windows-1251' : 'windows-1252'
  return { text: new TextDecoder(encoding).decode(bytes), encoding, broken: 0 }
}

function isHighLetter(byte: number | undefined): boolean {
  return byte !== undefined && (byte >= 0xc0 || byte === 0xa8 || byte === 0xb8)
}

function strict(encoding: DecodedText['encoding'], bytes: Uint8Array, cutOff: boolean): DecodedText | null {
  try {
    return { text: new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: cutOff }), encoding, broken: 0 }
  } catch {
    return null
  }
}

function lossy(encoding: DecodedText['encoding'], bytes: Uint8Array, cutOff: boolean): DecodedText {
  const text = new TextDecoder(encoding).decode(bytes, { stream: cutOff })
  return { text, encoding, broken: count(text, (unit) => unit === 0xfffd) }
}

/** Control characters that text does not have: all but tab, line ends, form feed and the escape of terminal colours. */
function isControl(unit: number): boolean {
  if (unit < 0x20) return !(unit === 9 || unit === 10 || unit === 12 || unit === 13 || unit === 27)
  return unit >= 0x7f && unit <= 0x9f && unit !== 0x85
}

/** How many UTF-16 units pass the test. (A loop: the matches of an expression over 16 MB would be 16 million strings.) */
function count(text: string, test: (unit: number) => boolean): number {
  let found = 0
  for (let at = 0; at < text.length; at++) if (test(text.charCodeAt(at))) found++
  return found
}

import {
  encodingByLetters,
  encodingByMark,
  encodingByZeros,
  isMostlyIntact,
  type EncodingName,
} from '../kernel/encoding-signs.ts'
import { storable } from '../kernel/text.ts'

export interface DecodedText {
  readonly text: string
  readonly encoding: EncodingName
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
  const encoding = encodingByMark(bytes)
  return encoding === null ? null : lossy(encoding, bytes, cutOff)
}

function byZeros(bytes: Uint8Array, cutOff: boolean): DecodedText | null {
  if (!cutOff && bytes.length % 2 === 1) return null
  const encoding = encodingByZeros(bytes)
  return encoding === null ? null : strict(encoding, bytes, cutOff)
}

function asUtf8(bytes: Uint8Array, cutOff: boolean): DecodedText | null {
  const exact = strict('utf-8', bytes, cutOff)
  if (exact) return exact
  const mended = lossy('utf-8', bytes, cutOff)
  return isMostlyIntact(mended.text) ? mended : null
}

function asLegacy(bytes: Uint8Array): DecodedText {
  const encoding = encodingByLetters(bytes)
  return { text: new TextDecoder(encoding).decode(bytes), encoding, broken: 0 }
}

function strict(encoding: EncodingName, bytes: Uint8Array, cutOff: boolean): DecodedText | null {
  try {
    return { text: new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: cutOff }), encoding, broken: 0 }
  } catch {
    return null
  }
}

function lossy(encoding: EncodingName, bytes: Uint8Array, cutOff: boolean): DecodedText {
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

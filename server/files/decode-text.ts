import type { TextEncodingName } from '../../contract/text-encodings.ts'
import { countIntact, encodingByMark, encodingByZeros } from '../kernel/text/encoding-signs.ts'
import { guessEncoding } from '../kernel/text/guess-encoding.ts'
import { storable } from '../kernel/text/plain-text.ts'

export interface DecodedText {
  readonly text: string
  readonly encoding: TextEncodingName
  /** Nothing in the file names its encoding: it was guessed from the letters. */
  readonly guessed: boolean
  /** Places that could not be decoded, shown as U+FFFD. */
  readonly broken: number
}

/** A larger share of control characters than this means that it isn't text. */
const CONTROL_SHARE = 0.005

/**
 * The text of a file of unknown encoding: by its byte order mark, else UTF-16 by the position of its zeros, else UTF-8,
 * else a guess from the letter combinations. Null when it isn't text.
 * @param cutOff `bytes` is only the beginning of the file, which may end inside a character.
 */
export async function decodeText(bytes: Uint8Array, cutOff: boolean): Promise<DecodedText | null> {
  const decoded =
    byMark(bytes, cutOff) ?? byZeros(bytes, cutOff) ?? asUtf8(bytes, cutOff) ?? (await asLegacy(bytes, cutOff))
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
  const { intact, broken } = countIntact(mended.text)
  return intact > broken ? mended : null
}

async function asLegacy(bytes: Uint8Array, cutOff: boolean): Promise<DecodedText> {
  const encoding = await guessEncoding(bytes)
  return encoding === null ? lossy('utf-8', bytes, cutOff) : { ...lossy(encoding, bytes, cutOff), guessed: true }
}

function strict(encoding: TextEncodingName, bytes: Uint8Array, cutOff: boolean): DecodedText | null {
  try {
    return {
      text: new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: cutOff }),
      encoding,
      guessed: false,
      broken: 0,
    }
  } catch {
    return null
  }
}

function lossy(encoding: TextEncodingName, bytes: Uint8Array, cutOff: boolean): DecodedText {
  const text = new TextDecoder(encoding).decode(bytes, { stream: cutOff })
  return { text, encoding, guessed: false, broken: count(text, (unit) => unit === 0xfffd) }
}

/**
 * Control characters that don't occur in text: all but tab, line ends, form feed and the escape of terminal colours.
 */
function isControl(unit: number): boolean {
  if (unit < 0x20) return !(unit === 9 || unit === 10 || unit === 12 || unit === 13 || unit === 27)
  return unit >= 0x7f && unit <= 0x9f && unit !== 0x85
}

/** How many UTF-16 units pass the test. (A loop: matching an expression over 16 MB would create 16 million strings.) */
function count(text: string, test: (unit: number) => boolean): number {
  let found = 0
  for (let at = 0; at < text.length; at++) if (test(text.charCodeAt(at))) found++
  return found
}

import { isAscii } from 'node:buffer'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import type { Writable } from 'node:stream'

export interface TextEncoding {
  /** WHATWG label. */
  readonly encoding: 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1251' | 'windows-1252'
  /** Every byte is valid in it. */
  readonly valid: boolean
}

const PIECE = 1024 * 1024

/**
 * The encoding of a text file that nobody wrote down: by its byte order mark, else UTF-16 by where its zeros are, else UTF-8, else
 * windows-1251 or windows-1252 by how the letters stand together. Reads the whole file: the first letter beyond ASCII may come late. `hurry`: the
 * beginning is enough.
 */
export async function findEncoding(path: string, hurry: boolean): Promise<TextEncoding> {
  let utf8: InstanceType<typeof TextDecoder> | null = null
  let evidence: Buffer | null = null
  let first = true
  for await (const piece of createReadStream(path, {
    highWaterMark: PIECE,
    end: hurry ? PIECE - 1 : Infinity,
  }) as AsyncIterable<Buffer>) {
    if (first) {
      first = false
      const marked = byMark(piece) ?? byZeros(piece)
      if (marked !== null) return { encoding: marked, valid: true }
    }
    if (utf8 === null && isAscii(piece)) continue
    utf8 ??= new TextDecoder('utf-8', { fatal: true })
    // The first piece that is no UTF-8 tells which encoding it is instead; until then, nothing is wrong.
    try {
      utf8.decode(piece, { stream: true })
    } catch {
      evidence = piece
      break
    }
  }
  if (evidence === null) {
    try {
      // A beginning may end inside a character.
      if (!hurry) utf8?.decode()
      return { encoding: 'utf-8', valid: true }
    } catch {
      return { encoding: 'utf-8', valid: false }
    }
  }
  if (mostlyUtf8(evidence)) return { encoding: 'utf-8', valid: false }
  return { encoding: isCyrillic(evidence) ? 'windows-1251' : 'windows-1252', valid: true }
}

/** Writes the file as UTF-8 without a byte order mark, and says how many places could not be decoded (now U+FFFD). */
export async function transcode(path: string, encoding: string, out: Writable): Promise<number> {
  let broken = 0
  for await (const text of decodedText(path, encoding)) {
    for (let at = text.indexOf('\uFFFD'); at >= 0; at = text.indexOf('\uFFFD', at + 1)) broken++
    if (!out.write(text)) await once(out, 'drain')
  }
  out.end()
  await once(out, 'close')
  return broken
}

/** The text of a file, piece by piece, without its byte order mark. */
export async function* decodedText(path: string, encoding: string): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding)
  for await (const piece of createReadStream(path, { highWaterMark: PIECE }) as AsyncIterable<Buffer>) {
    yield decoder.decode(piece, { stream: true })
  }
  yield decoder.decode()
}

function byMark(bytes: Buffer): TextEncoding['encoding'] | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return null
}

/** UTF-16 without a mark: line ends, blanks and digits have a zero byte, always on the same side. */
function byZeros(bytes: Buffer): TextEncoding['encoding'] | null {
  let even = 0
  let odd = 0
  for (let at = bytes.indexOf(0); at >= 0; at = bytes.indexOf(0, at + 1)) {
    if (at % 2 === 0) even++
    else odd++
    if (even > 0 && odd > 0) return null
  }
  // A few zeros in a long file are a fault in it, not a sign of UTF-16.
  if (even + odd < Math.max(1, bytes.length / 100)) return null
  return odd > 0 ? 'utf-16le' : 'utf-16be'
}

/** A log with a broken line in it is still UTF-8: what other encodings have in high bytes is hardly ever valid. */
function mostlyUtf8(bytes: Buffer): boolean {
  const text = new TextDecoder('utf-8').decode(bytes, { stream: true })
  let intact = 0
  let broken = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === 0xfffd) broken++
    else if (unit > 0x7f) intact++
  }
  return intact > 4 * broken
}

/** Cyrillic words are runs of high bytes; in western languages a high byte mostly stands alone among ASCII letters. */
function isCyrillic(bytes: Buffer): boolean {
  let letters = 0
  let joined = 0
  for (let at = 0; at < bytes.length; at++) {
    if (!isHighLetter(bytes[at])) continue
    letters++
    if (isHighLetter(bytes[at - 1]) || isHighLetter(bytes[at + 1])) joined++
  }
  return joined * 2 > letters
}

function isHighLetter(byte: number | undefined): boolean {
  return byte !== undefined && (byte >= 0xc0 || byte === 0xa8 || byte === 0xb8)
}

import { isAscii } from 'node:buffer'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import type { Writable } from 'node:stream'
import {
  encodingByLetters,
  encodingByMark,
  encodingByZeros,
  isMostlyIntact,
  type EncodingName,
} from '../kernel/encoding-signs.ts'

export interface TextEncoding {
  readonly encoding: EncodingName
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
      const encoding = encodingByMark(piece) ?? encodingByZeros(piece)
      if (encoding !== null && encoding !== 'utf-8') return { encoding, valid: true }
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
  if (isMostlyIntact(new TextDecoder('utf-8').decode(evidence, { stream: true })))
    return { encoding: 'utf-8', valid: false }
  return { encoding: encodingByLetters(evidence), valid: true }
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

import { isAscii } from 'node:buffer'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import type { Writable } from 'node:stream'
import type { TextEncodingName } from '../../../contract/text-encodings.ts'
import { countIntact, encodingByMark, encodingByZeros } from '../../kernel/text/encoding-signs.ts'
import { say, type Sentence } from '../../kernel/sentence.ts'
import { encodingEvidence, guessEncoding } from '../../kernel/text/guess-encoding.ts'

interface TextEncoding {
  readonly encoding: TextEncodingName
  /** Every byte examined is valid in it. */
  readonly valid: boolean
  /** The file doesn't name it: it was guessed from the letters. */
  readonly guessed: boolean
}

const PIECE = 1024 * 1024
/** Characters beyond ASCII after which the rest wouldn't change the result. */
const ENOUGH = 20_000
const EVIDENCE = 32 * 1024

/**
 * Detects the encoding of a text file: by its byte order mark, else UTF-16 by the position of its zeros, else UTF-8,
 * else a guess from its letters. Reads the whole file: the first letter beyond ASCII may come late, and one stray byte
 * in UTF-8 is an error rather than another encoding. `hurry`: the beginning suffices.
 */
async function findEncoding(path: string, hurry: boolean): Promise<TextEncoding> {
  let decoder: InstanceType<typeof TextDecoder> | null = null
  let first = true
  const evidence: Buffer[] = []
  let gathered = 0
  const seen = { intact: 0, broken: 0 }
  const count = (text: string): number => {
    const { intact, broken } = countIntact(text)
    seen.intact += intact
    seen.broken += broken
    return broken
  }
  for await (const piece of createReadStream(path, {
    highWaterMark: PIECE,
    end: hurry ? PIECE - 1 : Infinity,
  }) as AsyncIterable<Buffer>) {
    if (first) {
      first = false
      const encoding = encodingByMark(piece) ?? encodingByZeros(piece)
      if (encoding !== null && encoding !== 'utf-8') return { encoding, valid: true, guessed: false }
    }
    if (decoder === null && isAscii(piece)) continue
    decoder ??= new TextDecoder('utf-8')
    const broken = count(decoder.decode(piece, { stream: true }))
    if (broken === 0) continue
    if (gathered < EVIDENCE) {
      const lines = encodingEvidence(piece, EVIDENCE - gathered)
      evidence.push(lines)
      gathered += lines.length
    }
    if (seen.broken > ENOUGH && seen.broken > seen.intact) break
  }
  // A beginning may end inside a character.
  if (!hurry && decoder !== null) count(decoder.decode())
  const utf8 = { encoding: 'utf-8', valid: seen.broken === 0, guessed: false } as const
  if (seen.broken === 0 || seen.intact > seen.broken) return utf8
  const guess = evidence.length === 0 ? null : await guessEncoding(Buffer.concat(evidence))
  return guess === null ? utf8 : { encoding: guess, valid: true, guessed: true }
}

/**
 * A text file as UTF-8: the file itself if it already is, else a copy at `into`; `notices` say what was guessed and
 * what is broken.
 */
export async function asUtf8(
  path: string,
  into: string,
  hurry: boolean,
  chosen: TextEncodingName | undefined,
): Promise<{ path: string; encoding: TextEncodingName; encoding_guessed: boolean; notices: Sentence[] }> {
  const { encoding, valid, guessed } =
    chosen === undefined ? await findEncoding(path, hurry) : { encoding: chosen, valid: false, guessed: false }
  const notices: Sentence[] = []
  if (guessed)
    notices.push(say`The file does not say which encoding it uses. It was read as ${encoding}, which is a guess.`)
  if (encoding === 'utf-8' && valid) return { path, encoding, encoding_guessed: guessed, notices }
  const broken = await transcode(path, encoding, createWriteStream(into))
  if (broken > 0)
    notices.push(say`Places that are not valid ${encoding.toUpperCase()} and show as ${'\uFFFD'}: ${broken}.`)
  return { path: into, encoding, encoding_guessed: guessed, notices }
}

/** Writes the file as UTF-8 without a byte order mark; returns how many places could not be decoded (now U+FFFD). */
async function transcode(path: string, encoding: string, out: Writable): Promise<number> {
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

import { cut } from '../../../server/kernel/text/plain-text.ts'
import type { LineMatcher } from './line-matcher.ts'
import { textLines } from './text-lines.ts'

const BATCH_SIZE = 256 * 1024
const BEFORE = 60
const SHOWN = 300

export interface FoundLine {
  /** Lines are numbered from 1. */
  readonly line: number
  /** The line, or the part around the match. */
  readonly text: string
}

/**
 * The matching lines of one text, at most `limit`. `room` receives the number of characters read and stops the reading
 * by returning false.
 */
export async function searchFile(
  pieces: AsyncIterable<string>,
  matcher: LineMatcher,
  { limit, room }: { limit: number; room: (characters: number) => boolean },
  signal: AbortSignal,
): Promise<FoundLine[]> {
  const found: FoundLine[] = []
  let batch: string[] = []
  let size = 0
  let first = 1
  const flush = async () => {
    for (const { line, at, length } of await matcher.match({ lines: batch, limit: limit - found.length }, signal))
      found.push({ line: first + line, text: around(batch[line]!, at, length) })
    first += batch.length
    batch = []
    size = 0
  }
  for await (const { text } of textLines(pieces)) {
    batch.push(text)
    size += text.length + 1
    if (size < BATCH_SIZE) continue
    const goOn = room(size)
    await flush()
    if (!goOn || found.length >= limit) return found
  }
  room(size)
  if (batch.length > 0) await flush()
  return found
}

function around(line: string, at: number, length: number): string {
  if (line.length <= SHOWN) return line
  const from = Math.max(0, Math.min(at - BEFORE, line.length - SHOWN))
  const text = cut(line.slice(from), Math.max(SHOWN, Math.min(length + 2 * BEFORE, 2 * SHOWN))).toWellFormed()
  return `${from > 0 ? '…' : ''}${text}${from + text.length < line.length ? '…' : ''}`
}

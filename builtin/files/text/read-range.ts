import { cut } from '../../../server/kernel/text/plain-text.ts'
import { textLines } from './text-lines.ts'

export interface LineRange {
  readonly text: string
  /** Number of lines in `text`. */
  readonly lines: number
  /** The file continues after it. */
  readonly more: boolean
  /** Lines in the whole file; null when reading stopped before its end. */
  readonly total: number | null
  /** At least one line was too long to show in full. */
  readonly shortened: boolean
}

/** Reads lines starting at line `from` (the first is 1): at most `limit` lines and `characters` UTF-16 units. */
export async function readRange(
  pieces: AsyncIterable<string>,
  range: { from: number; limit: number; characters: number },
  signal: AbortSignal,
): Promise<LineRange> {
  const shown: string[] = []
  let number = 0
  let room = range.characters
  let shortened = false
  for await (const line of textLines(pieces)) {
    signal.throwIfAborted()
    number++
    if (number < range.from) continue
    if (shown.length >= range.limit || (shown.length > 0 && line.text.length >= room)) {
      return { text: shown.join('\n'), lines: shown.length, more: true, total: null, shortened }
    }
    const text = cut(line.text, room)
    shortened ||= line.cut || text.length < line.text.length
    shown.push(text)
    room -= text.length + 1
  }
  return { text: shown.join('\n'), lines: shown.length, more: false, total: number, shortened }
}

/**
 * Reads at most `limit` characters starting at `offset` (the first is 0), for text whose lines are too long to be
 * useful.
 */
export async function readCharacters(
  pieces: AsyncIterable<string>,
  { offset, limit }: { offset: number; limit: number },
  signal: AbortSignal,
): Promise<{ text: string; more: boolean }> {
  let skip = offset
  let text = ''
  for await (const piece of pieces) {
    signal.throwIfAborted()
    const part = piece.slice(skip)
    skip = Math.max(0, skip - piece.length)
    if (text.length + part.length > limit) return { text: cut(text + part, limit), more: true }
    text += part
  }
  return { text, more: false }
}

import { TableError } from '../shape/table-error.ts'
import { say } from '../../kernel/sentence.ts'

/** Characters of one object: the engine's limit, too. */
const LIMIT = 16 * 1024 * 1024

/** The text of each object of a list, or of a file of consecutive objects. @throws {TableError} too_large */
export async function* eachObject(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let text = ''
  let at = 0
  let start = -1
  let depth = 0
  let quoted = false
  for await (const piece of pieces) {
    text += piece
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (quoted) {
        if (code === 0x5c) at++
        else if (code === 0x22) quoted = false
      } else if (code === 0x22) quoted = true
      else if (code === 0x7b) {
        if (depth++ === 0) start = at
      } else if (code === 0x7d && depth > 0 && --depth === 0) {
        yield text.slice(start, at + 1)
        start = -1
      }
    }
    const done = start < 0 ? text.length : start
    text = text.slice(done)
    at -= done
    if (start >= 0) start = 0
    if (text.length > LIMIT) throw new TableError('too_large', say`An object in this file is too large to be read.`)
  }
}

/** Keeps the last of members that an object names twice; numbers keep their digits. Null when the text isn't JSON. */
export function uniqueMembers(text: string): string | null {
  try {
    const digits = (_key: string, value: unknown, context?: { readonly source?: string }): unknown =>
      typeof value === 'number' && context?.source !== undefined ? raw.rawJSON(context.source) : value
    return JSON.stringify(JSON.parse(text, digits))
  } catch {
    return null
  }
}

const raw = JSON as typeof JSON & { rawJSON(text: string): unknown }

export interface TextLine {
  readonly text: string
  /** The line is longer: only its first LINE_LIMIT characters are here. */
  readonly cut: boolean
}

/** A file without line breaks must not become a single string of 256 MB. */
const LINE_LIMIT = 64 * 1024

/** The lines of a text that arrives in pieces; `\r\n`, `\n` and `\r` end a line. */
export async function* textLines(pieces: AsyncIterable<string>): AsyncGenerator<TextLine> {
  let rest = ''
  let dropped = false
  let afterReturn = false
  let seen = false
  for await (const piece of pieces) {
    if (piece === '') continue
    seen = true
    // The second half of a `\r\n` split across two pieces.
    const from = afterReturn && piece.startsWith('\n') ? 1 : 0
    afterReturn = piece.endsWith('\r')
    const parts = piece.slice(from).split(/\r\n|\n|\r/)
    for (const [index, part] of parts.entries()) {
      if (index > 0) {
        yield { text: rest, cut: dropped }
        rest = ''
        dropped = false
      }
      const room = LINE_LIMIT - rest.length
      if (part.length > room) dropped = true
      rest += part.slice(0, room)
    }
  }
  // A final line break is not followed by an empty line.
  if (rest !== '' || dropped || !seen) yield { text: rest, cut: dropped }
}

export interface TextLine {
  readonly text: string
  /** The line is longer: only its first LINE_LIMIT characters are here. */
  readonly cut: boolean
}

/** A file without line ends must not be one string of 256 MB. */
const LINE_LIMIT = 64 * 1024

/** The lines of a text that comes in pieces; `\r\n`, `\n` and `\r` end one. */
export async function* textLines(pieces: AsyncIterable<string>): AsyncGenerator<TextLine> {
  let rest = ''
  let dropped = false
  let afterReturn = false
  let seen = false
  for await (const piece of pieces) {
    if (piece === '') continue
    seen = true
    // The second half of a `\r\n` that two pieces share.
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
  // Text that ends with a line end has no empty line after it.
  if (rest !== '' || dropped || !seen) yield { text: rest, cut: dropped }
}

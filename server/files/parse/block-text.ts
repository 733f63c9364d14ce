import { cut, storable } from '../../kernel/text/plain-text.ts'

/** Blanks in a document's source; a no-break space isn't one of them. */
const BLANKS = /[ \t\r\n\f]+/g

/**
 * Collects the text of a document block by block, up to a limit: runs of blanks within a block become one, blocks go on
 * lines of their own, cells of a row side by side. Memory stays within the limit however much is added.
 */
export class BlockText {
  readonly #limit: number
  readonly #pieces: string[] = []
  /** The open rows, the innermost last. */
  readonly #rows: { first: boolean; written: boolean }[] = []
  #length = 0
  #break: '' | '\n' | '\n\n' = ''
  /** Cells begun since the last text. */
  #cells = 0
  /** What the next block begins with, such as `# `. */
  #lead = ''
  #blank = true
  #full = false

  constructor(limit: number) {
    this.#limit = limit
  }

  /** Nothing more is accepted: the rest need not be read. */
  get full(): boolean {
    return this.#full
  }

  /** Inline text. `exact` keeps blanks and line ends as they are. */
  text(text: string, exact = false): void {
    if (this.#full) return
    let inline = exact ? text : text.replace(BLANKS, ' ')
    const first = this.#blank || this.#break !== '' || this.#cells > 0
    if (!exact && first && inline.startsWith(' ')) inline = inline.slice(1)
    if (inline === '') return
    if (this.#length > 0) this.#push(this.#break)
    this.#push(' | '.repeat(this.#cells))
    this.#push(this.#lead)
    this.#push(inline)
    this.#break = ''
    this.#cells = 0
    this.#lead = ''
    this.#blank = inline.endsWith(' ') || inline.endsWith('\n')
    const row = this.#rows.at(-1)
    if (row !== undefined) row.written = true
  }

  /** Ends a block; `lead` begins the next one. */
  line(lead = ''): void {
    // The cell is still empty: its first block follows the bar.
    if (this.#cells === 0 && this.#break === '') this.#break = '\n'
    this.#lead = lead
  }

  /** Ends a block, followed by an empty line. */
  gap(lead = ''): void {
    if (this.#cells === 0) this.#break = '\n\n'
    this.#lead = lead
  }

  row(): void {
    this.line()
    this.#rows.push({ first: true, written: false })
  }

  cell(): void {
    const row = this.#rows.at(-1)
    if (row === undefined) return this.line()
    if (!row.first) {
      if (row.written && this.#break === '\n') this.#break = ''
      this.#cells++
    }
    row.first = false
    this.#lead = ''
  }

  endRow(): void {
    const row = this.#rows.pop()
    const outer = this.#rows.at(-1)
    if (outer !== undefined && row !== undefined) outer.written ||= row.written
    this.#cells = 0
    this.line()
  }

  /** The text is null when there was nothing but blanks. */
  result(): { text: string | null; complete: boolean } {
    const text = storable(trimLines(this.#pieces.join('')))
    return { text: text === '' ? null : text, complete: !this.#full }
  }

  #push(text: string): void {
    const piece = cut(text, Math.max(0, this.#limit - this.#length))
    this.#full ||= piece.length < text.length
    this.#pieces.push(piece)
    this.#length += piece.length
  }
}

/** Without blanks at the ends of lines. (Line by line: an expression over a million blanks takes hours.) */
export function trimLines(text: string): string {
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .trim()
}

import { xmlText } from '../sheet/xml-text.ts'

/** More blanks than a cell can hold mean nothing. */
const BLANKS = 32_767

/**
 * The text of a cell: its paragraphs as lines. Runs of blanks count as one unless marked as several, and a line end in
 * the source is a blank, or nothing at the ends of a paragraph; a blank at its ends is kept, as the programs do that
 * write it.
 */
export class ParagraphText {
  #text: string | null = null
  #begun = true
  /** Whether the last character is a blank that absorbs further ones, and whether it came from a line end. */
  #blank = false
  #lineEnd = false

  /** Null when there was no paragraph. */
  get text(): string | null {
    return this.#text
  }

  clear(): void {
    this.#text = null
  }

  begin(): void {
    this.#text = this.#text === null ? '' : `${this.#text}\n`
    this.#begun = true
    this.#blank = false
    this.#lineEnd = false
  }

  end(): void {
    if (this.#lineEnd && this.#text !== null) this.#text = this.#text.slice(0, -1)
    this.#lineEnd = false
  }

  add(raw: string, escaped: boolean): void {
    if (this.#begun && !/[\t\r\n]| {2}| $/.test(raw)) {
      this.#begun = false
      this.#text = `${this.#text ?? ''}${escaped ? xmlText(raw) : raw}`
      return
    }
    const given = this.#begun ? raw.replace(/^[ \t]*[\r\n][ \t\r\n]*/, '') : raw
    let text = given.replace(/[ \t\r\n]+/g, ' ')
    if (this.#blank && text.startsWith(' ')) text = text.slice(1)
    if (text === '') return
    this.#begun = false
    this.#blank = text.endsWith(' ')
    this.#lineEnd = /[\r\n][ \t\r\n]*$/.test(given.slice(-1000))
    this.#text = `${this.#text ?? ''}${escaped ? xmlText(text) : text}`
  }

  /** Intended blanks, a tab or a line end. */
  addExact(char: string, times: number): void {
    this.#text = `${this.#text ?? ''}${char.repeat(Math.min(Math.max(times, 0), BLANKS))}`
    this.#begun = false
    this.#blank = false
    this.#lineEnd = false
  }
}

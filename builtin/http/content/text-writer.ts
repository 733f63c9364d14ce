/**
 * Assembles the text of a page line by line, without repeated blanks or empty lines. Linear, however long a line gets.
 */
export class TextWriter {
  #done: string[] = []
  #line: string[] = []
  /** The last character of the line. */
  #last = ''
  #prefix = ''
  /** The open link, and where its text begins in the line. */
  #link: { href: string; from: number } | null = null

  text(text: string, keep: boolean): void {
    if (keep) {
      const [first = '', ...rest] = text.split(/\r\n|\n|\r/)
      this.#add(first)
      for (const line of rest) {
        this.#end(true)
        this.#add(line)
      }
      return
    }
    const plain = text.replace(/[\s\u00a0]+/g, ' ')
    this.#add(this.#last === '' || this.#last === ' ' ? plain.replace(/^ /, '') : plain)
  }

  /** The text that follows belongs to this link until the next call; null: to none. */
  link(href: string | null): void {
    this.#closeLink()
    this.#link = href === null ? null : { href, from: this.#line.length }
  }

  cell(): void {
    if (this.#last !== '') this.#add(this.#last === ' ' ? '| ' : ' | ')
  }

  line(): void {
    this.#end(false)
  }

  paragraph(): void {
    this.#end(false)
    if (this.#done.length > 0 && this.#done.at(-1) !== '') this.#done.push('')
  }

  /** Goes before the next line. */
  prefix(text: string): void {
    this.#prefix = text
  }

  rule(): void {
    this.#end(false)
    this.#done.push('---')
  }

  toString(): string {
    this.#end(false)
    return this.#done.join('\n').trim()
  }

  #add(text: string): void {
    if (text === '') return
    this.#line.push(text)
    this.#last = text.at(-1)!
  }

  #closeLink(): void {
    if (this.#link === null) return
    const { href, from } = this.#link
    const words = this.#line.slice(from).join('')
    this.#link = null
    if (words.trim() === '' || words.trim() === href) return
    this.#line.length = from
    this.#add(`[${words.trim()}](${href})${words.endsWith(' ') ? ' ' : ''}`)
  }

  #end(keepEmpty: boolean): void {
    const { href } = this.#link ?? {}
    this.#closeLink()
    const line = this.#line.join('').trimEnd()
    this.#line = []
    this.#last = ''
    if (href !== undefined) this.#link = { href, from: 0 }
    if (line.trim() === '' && !keepEmpty) return
    this.#done.push(this.#prefix + line)
    this.#prefix = ''
  }
}

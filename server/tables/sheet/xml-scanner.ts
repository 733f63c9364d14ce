import { TableError } from '../shape/table-error.ts'
import { say } from '../../kernel/sentence.ts'

/** The events of a document, in order. An empty element opens and closes. */
export interface XmlEvents {
  /** `name` without its prefix, unless prefixes are kept; `attributes` as written in the tag. */
  open(name: string, attributes: string): void
  close(name: string): void
  /** `escaped`: it contains entities. A text comes in one piece unless comments or CDATA sections divide it. */
  text(text: string, escaped: boolean): void
}

const TAG_LIMIT = 1024 * 1024
/** Beyond what a row may hold. */
const TEXT_LIMIT = 8 * 1024 * 1024
const LESS = 0x3c
const GREATER = 0x3e
const SLASH = 0x2f
const COLON = 0x3a
const BANG = 0x21
const ASK = 0x3f
const QUOTE = 0x22
const APOSTROPHE = 0x27

/**
 * Reads XML piece by piece and keeps nothing: memory doesn't grow with the document. There are no document types and no
 * custom entities, so nothing can be expanded or fetched.
 */
export class XmlScanner {
  /** Set it to stop after the current tag. */
  stopped = false
  readonly #events: XmlEvents
  readonly #prefixes: boolean
  #rest = ''
  #depth = 0
  #started = false

  constructor(events: XmlEvents, { prefixes }: { readonly prefixes: boolean } = { prefixes: false }) {
    this.#events = events
    this.#prefixes = prefixes
  }

  /** @throws {TableError} unreadable, too_large */
  push(piece: string): void {
    const text = this.#rest === '' ? piece : this.#rest + piece
    const events = this.#events
    let at = 0
    while (!this.stopped) {
      const less = text.indexOf('<', at)
      if (less < 0) break
      if (less > at) events.text(text.slice(at, less), true)
      at = less
      const first = text.charCodeAt(less + 1)
      let next: number
      if (first === SLASH) next = this.#closing(text, less)
      else if (first === BANG) next = this.#special(text, less)
      else if (first === ASK) next = endOf(text, '?>', less)
      else next = this.#opening(text, less)
      if (next < 0) break
      at = next
    }
    this.#rest = this.stopped ? '' : text.slice(at)
    const limit = this.#rest.charCodeAt(0) === LESS && !this.#rest.startsWith('<![') ? TAG_LIMIT : TEXT_LIMIT
    if (this.#rest.length > limit)
      throw new TableError('too_large', say`A single text or tag in this file is too long.`)
  }

  /** @throws {TableError} unreadable when the document is incomplete */
  end(): void {
    if (this.stopped) return
    if (this.#depth !== 0 || !this.#started || this.#rest.trim() !== '')
      throw new TableError('unreadable', say`A part of this file is cut off or damaged.`)
  }

  #opening(text: string, less: number): number {
    const { length } = text
    let i = less + 1
    let name = -1
    let start = i
    for (; ; i++) {
      if (i >= length) return -1
      const code = text.charCodeAt(i)
      if (code === GREATER) break
      if (code === QUOTE || code === APOSTROPHE) {
        for (i++; i < length && text.charCodeAt(i) !== code; i++);
      } else if (name < 0) {
        if (code <= 0x20 || code === SLASH) name = i
        else if (code === COLON && !this.#prefixes) start = i + 1
      }
    }
    const empty = text.charCodeAt(i - 1) === SLASH
    const tag = text.slice(start, name < 0 ? i : name)
    this.#started = true
    this.#events.open(tag, name < 0 ? '' : text.slice(name, empty ? i - 1 : i))
    if (empty) this.#events.close(tag)
    else this.#depth++
    return i + 1
  }

  #closing(text: string, less: number): number {
    const greater = text.indexOf('>', less)
    if (greater < 0) return -1
    let end = greater
    while (text.charCodeAt(end - 1) <= 0x20) end--
    const tag = text.slice(less + 2, end)
    const colon = this.#prefixes ? -1 : tag.indexOf(':')
    this.#depth--
    if (this.#depth < 0) throw new TableError('unreadable', say`A part of this file is damaged: its tags do not match.`)
    this.#events.close(colon < 0 ? tag : tag.slice(colon + 1))
    return greater + 1
  }

  #special(text: string, less: number): number {
    if (text.startsWith('<!--', less)) return endOf(text, '-->', less + 4)
    if (text.startsWith('<![CDATA[', less)) {
      const end = text.indexOf(']]>', less)
      if (end < 0) return -1
      this.#events.text(text.slice(less + 9, end), false)
      return end + 3
    }
    // Too short to decide: wait for the next piece.
    if (text.length - less < 9) return -1
    throw new TableError('unreadable', say`This file contains a document type declaration, which no spreadsheet has.`)
  }
}

function endOf(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from)
  return at < 0 ? -1 : at + mark.length
}

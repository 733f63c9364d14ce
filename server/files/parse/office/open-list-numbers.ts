import { listNumeral } from './list-numeral.ts'
import type { XmlAttributes } from './scan-xml.ts'

interface Level {
  readonly format: string
  /** `%1%.%2%)`: each number stands for that of its level. */
  readonly text: string
  readonly start: number
}
/** A list and its open sublists: the last number of each level. */
type Counts = (number | undefined)[]

const FORMATS: Readonly<Record<string, string>> = {
  a: 'lowerLetter',
  A: 'upperLetter',
  i: 'lowerRoman',
  I: 'upperRoman',
}
/** More levels than any program has. */
const LEVELS = 10
/** Characters around and between the numbers of an item. */
const TEXT_LIMIT = 100

/** Counts the lists of an OpenDocument text: gives the marker of each of their paragraphs. */
export class OpenListNumbers {
  readonly #styles = new Map<string, Map<number, Level>>()
  #style: Map<number, Level> | null = null
  readonly #byId = new Map<string, Counts>()
  readonly #byStyle = new Map<string, Counts>()
  /** The open lists, the innermost last; `item`: its next paragraph is the first of an item. */
  readonly #open: { style: string; item: boolean; start: number | null }[] = []
  #counts: Counts = []

  /** Takes an element that may describe a style, from `styles.xml` or the document. */
  style(name: string, attribute: XmlAttributes): void {
    if (name === 'list-style') this.#styles.set(attribute('name') ?? '', (this.#style = new Map<number, Level>()))
    else if (name === 'list-level-style-number' && this.#style !== null) {
      const at = whole(attribute('level'), 1)
      const shown = Math.min(whole(attribute('display-levels'), 1), at, LEVELS)
      const numbers = Array.from({ length: shown }, (_, i) => `%${at - shown + 1 + i}%`).join('.')
      const text = `${attribute('num-prefix') ?? ''}${numbers}${attribute('num-suffix') ?? ''}`
      this.#style.set(at, {
        format: attribute('num-format') ?? '',
        text: (attribute('num-list-format') ?? text).slice(0, TEXT_LIMIT),
        start: whole(attribute('start-value'), 1),
      })
    }
  }

  /** From now on every item gets a dash. */
  leaveNumbers(): void {
    this.#styles.clear()
  }

  openList(attribute: XmlAttributes): void {
    const style = attribute('style-name') ?? this.#open.at(-1)?.style ?? ''
    if (this.#open.length === 0) {
      const before =
        this.#byId.get(attribute('continue-list') ?? '') ??
        (attribute('continue-numbering') === 'true' ? this.#byStyle.get(style) : undefined)
      this.#counts = before ?? []
      this.#byStyle.set(style, this.#counts)
    }
    const id = attribute('id')
    if (id !== undefined) this.#byId.set(id, this.#counts)
    this.#open.push({ style, item: false, start: null })
  }

  openItem(attribute: XmlAttributes): void {
    const list = this.#open.at(-1)
    if (list === undefined) return
    list.item = true
    const start = attribute('start-value')
    list.start = start === undefined ? null : whole(start, 1)
  }

  closeList(): void {
    this.#open.pop()
  }

  /**
   * The marker of the next paragraph, with its depth as blanks: `  2.1. `, `- `, only blanks where the item continues,
   * empty outside lists.
   */
  next(): string {
    const list = this.#open.at(-1)
    if (list === undefined) return ''
    const indent = '  '.repeat(Math.min(this.#open.length, LEVELS - 1) - 1)
    if (!list.item) return `${indent}  `
    list.item = false
    return `${indent}${this.#number(list.style, list.start)}`
  }

  #number(style: string, start: number | null): string {
    const at = this.#open.length
    const levels = this.#styles.get(style)
    const level = levels?.get(at)
    if (level === undefined || level.format === '') return '- '
    const last = this.#counts[at]
    this.#counts[at] = start ?? (last === undefined ? level.start : last + 1)
    // A deeper level starts over.
    this.#counts.length = at + 1
    const text = level.text.replace(/%(\d{1,2})%/g, (_all, digits: string) => {
      const other = levels?.get(Number(digits))
      if (other === undefined || other.format === '') return ''
      return listNumeral(this.#counts[Number(digits)] ?? other.start, FORMATS[other.format] ?? '')
    })
    return text.trim() === '' ? '- ' : `${text.trim()} `
  }
}

function whole(value: string | undefined, otherwise: number): number {
  const number = Math.trunc(Number(value ?? otherwise))
  return number >= 0 && number < 1e9 ? number : otherwise
}

import { CELL, type CellKind } from '../sheet/cell-kind.ts'
import { numberText } from '../sheet/number-text.ts'
import type { XmlEvents } from '../sheet/xml-scanner.ts'
import { cellText } from './cell-text.ts'
import type { NumberFormat } from './number-format.ts'
import { serialDate } from './serial-date.ts'

/** Receives the cells of a sheet. Columns count from 0. */
export interface CellTaker {
  set(column: number, text: string | null, kind: CellKind): void
  /** `times`: more than one only for missing rows. */
  endRow(times?: number): void
}
export interface CellRules {
  readonly formats: readonly NumberFormat[]
  readonly from1904: boolean
  /** A shared text; null when there is none with the number. */
  readonly shared: (number: number) => string | null
}

/** Reads the cells of a worksheet, row by row, and counts what is worth reporting. */
export class SheetCells implements XmlEvents {
  merges = 0
  errors = 0
  /** Formulas without a stored result, and cells that reference a missing text. */
  unknown = 0
  missing = 0
  readonly #taker: CellTaker
  readonly #rules: CellRules
  #inData = false
  #row = 0
  #column = -1
  #style = 0
  #type = ''
  #value: string | null = null
  #escaped = true
  #inline: string | null = null
  #taking: 'value' | 'inline' | null = null
  #inPhonetic = false
  #formula = false

  constructor(taker: CellTaker, rules: CellRules) {
    this.#taker = taker
    this.#rules = rules
  }

  open(name: string, attributes: string): void {
    if (!this.#inData) {
      if (name === 'sheetData') this.#inData = true
      else if (name === 'mergeCell') this.merges++
      return
    }
    switch (name) {
      case 'c':
        return this.#openCell(attributes)
      case 'v':
        this.#taking = 'value'
        this.#value = ''
        return
      case 't':
        if (!this.#inPhonetic) this.#taking = 'inline'
        return
      case 'is':
        this.#inline = ''
        return
      case 'f':
        this.#formula = true
        return
      case 'rPh':
        this.#inPhonetic = true
        return
      case 'row':
        return this.#openRow(attributes)
    }
  }

  text(text: string, escaped: boolean): void {
    if (this.#taking === null) return
    if (this.#taking === 'inline') this.#inline = (this.#inline ?? '') + cellText(text, escaped)
    else if (this.#value === '') {
      this.#value = text
      this.#escaped = escaped
    } else {
      // In pieces, resolved one by one.
      this.#value = cellText(this.#value ?? '', this.#escaped) + cellText(text, escaped)
      this.#escaped = false
    }
  }

  close(name: string): void {
    if (!this.#inData) return
    switch (name) {
      case 'v':
      case 't':
        this.#taking = null
        return
      case 'c':
        return this.#closeCell()
      case 'row':
        return this.#taker.endRow()
      case 'rPh':
        this.#inPhonetic = false
        return
      case 'sheetData':
        this.#inData = false
    }
  }

  #openRow(attributes: string): void {
    this.#column = -1
    const given = /(?:^|\s)r\s*=\s*["'](\d{1,9})["']/.exec(attributes)
    const row = given === null ? this.#row + 1 : Number(given[1])
    if (row > this.#row + 1) this.#taker.endRow(row - this.#row - 1)
    this.#row = row
  }

  #openCell(attributes: string): void {
    this.#column++
    this.#style = 0
    this.#type = ''
    this.#value = null
    this.#inline = null
    this.#formula = false
    this.#taking = null
    for (let at = 0; ;) {
      const equals = attributes.indexOf('=', at)
      if (equals < 0) return
      let start = equals + 1
      while (attributes.charCodeAt(start) <= 0x20) start++
      const end = attributes.indexOf(attributes.charCodeAt(start) === 0x22 ? '"' : "'", start + 1)
      if (end < 0) return
      let last = equals - 1
      while (attributes.charCodeAt(last) <= 0x20) last--
      // The names that matter have one letter.
      if (!(attributes.charCodeAt(last - 1) > 0x20)) {
        const name = attributes.charCodeAt(last)
        if (name === 0x72) this.#column = columnOf(attributes, start + 1, this.#column)
        else if (name === 0x73) this.#style = Number(attributes.slice(start + 1, end))
        else if (name === 0x74) this.#type = attributes.slice(start + 1, end)
      }
      at = end + 1
    }
  }

  #closeCell(): void {
    const value = this.#value
    if (this.#inline !== null && (value === null || this.#type === 'inlineStr'))
      return this.#taker.set(this.#column, this.#inline, CELL.text)
    if (value === null || value === '') {
      if (this.#formula && this.#type !== 'str') this.unknown++
      return
    }
    switch (this.#type) {
      case 's': {
        const text = this.#rules.shared(Number(value))
        if (text === null) this.missing++
        return this.#taker.set(this.#column, text, CELL.text)
      }
      case 'str':
      case 'inlineStr':
        return this.#taker.set(this.#column, cellText(value, this.#escaped), CELL.text)
      case 'b':
        return this.#taker.set(this.#column, /^\s*(1|true)\s*$/i.test(value) ? 'true' : 'false', CELL.boolean)
      case 'e':
        this.errors++
        return this.#taker.set(this.#column, cellText(value, this.#escaped), CELL.error)
      case 'd':
        return this.#takeIsoDate(value.trim())
      default:
        return this.#takeNumber(value)
    }
  }

  #takeNumber(value: string): void {
    const format = this.#rules.formats[this.#style] ?? 'number'
    if (format !== 'number') {
      const date = value.trim() === '' ? null : serialDate(Number(value), format, this.#rules.from1904)
      if (date !== null) return this.#taker.set(this.#column, date.text, date.kind)
    }
    const text = numberText(value)
    if (text !== null) this.#taker.set(this.#column, text, CELL.number)
    else this.#taker.set(this.#column, cellText(value, this.#escaped), CELL.text)
  }

  /** Dates as text: `2026-01-31T08:30:00.000Z`, which is local time whatever it claims. */
  #takeIsoDate(value: string): void {
    const parts = /^(\d{4}-\d{2}-\d{2})?(?:T?(\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?))?Z?$/.exec(value)
    const format = this.#rules.formats[this.#style] ?? 'number'
    const [, day, clock] = parts ?? []
    const time = clock?.replace(/\.0+$/, '').replace(/^(\d\d:\d\d)$/, '$1:00')
    if (day === undefined)
      return this.#taker.set(this.#column, time ?? value, time === undefined ? CELL.text : CELL.time)
    if (time === undefined || (time === '00:00:00' && format === 'date'))
      return this.#taker.set(this.#column, day, CELL.date)
    this.#taker.set(this.#column, `${day}T${time}`, CELL.datetime)
  }
}

/**
 * The column of an address such as `AB12`; `otherwise` if it has no letters. More letters than any column has result in
 * a number beyond them all.
 */
function columnOf(text: string, from: number, otherwise: number): number {
  let column = 0
  for (let i = from; i < from + 8; i++) {
    const code = text.charCodeAt(i) & ~0x20
    if (!(code >= 0x41 && code <= 0x5a)) break
    column = column * 26 + code - 0x40
  }
  return column === 0 ? otherwise : column - 1
}

import { cut } from '../../kernel/text/plain-text.ts'
import type { Allowance } from '../draft/allowance.ts'
import { csvSelect } from '../csv/csv-select.ts'
import type { SheetDraft } from '../draft/sheet-draft.ts'
import { TableError } from '../shape/table-error.ts'
import { say, type Sentence } from '../../kernel/sentence.ts'
import { COLUMN_LIMIT } from '../shape/table-shape.ts'
import { CELL, type CellKind, type SheetRow } from './cell-kind.ts'
import { columnLetters } from './column-letters.ts'
import { findHeader, type SheetHead } from './find-header.ts'
import { RowWriter } from './row-writer.ts'

/** Rows examined to find the header. */
export const HEAD_ROWS = 60
/** Columns that a sheet can have; programs stop at 16,384. */
const COLUMN_END = 16_384
/** Characters of one row. */
const ROW_LIMIT = 4_000_000
/** A longer row needs the engine's tolerant mode. */
const LONG_ROW = 300_000
const DATES = (1 << CELL.date) | (1 << CELL.datetime)
const TEXTS = (1 << CELL.text) | (1 << CELL.error)

/**
 * Gathers the cells of one sheet into a file that the engine reads. Empty rows and columns take no space, however far
 * apart the cells are: memory depends on what is filled, never on an address.
 */
export class SheetRows implements Disposable {
  readonly #name: string
  readonly #file: string
  readonly #rows: RowWriter
  readonly #wanted: number | null
  /** The position of a column's cells in a written row: columns are in order of first appearance. */
  readonly #slots = new Int32Array(COLUMN_END).fill(-1)
  readonly #columns: number[] = []
  #texts: (string | null)[] = []
  #kinds = new Uint8Array(COLUMN_LIMIT)
  #filled = 0
  #length = 0
  #head: SheetRow[] | null = []
  #labels: readonly (string | null)[] | null = null
  readonly #titles: string[] = []
  /** The kinds of cells that a slot has had, as bits. */
  readonly #seen = new Uint8Array(COLUMN_LIMIT)
  #width = -1
  #ragged = false
  #longest = 0
  #empty = 0
  #gaps = 0
  readonly #chosen: number | undefined
  #header_row = 0

  /** `wanted`: this many rows are enough, or null. `header_row`: what was chosen; 0 is none. */
  constructor(name: string, file: string, wanted: number | null, allowance: Allowance, header_row?: number) {
    this.#chosen = header_row
    this.#name = name
    this.#file = file
    this.#rows = new RowWriter(file, allowance)
    this.#wanted = wanted
  }

  /** All wanted rows are there. */
  get full(): boolean {
    if (this.#wanted === null) return false
    return this.#head === null ? this.#rows.rows >= this.#wanted : false
  }

  /** @throws {TableError} unreadable, too_large */
  set(column: number, text: string | null, kind: CellKind): void {
    if (text === null || text === '') return
    if (!(column >= 0 && column < COLUMN_END))
      throw new TableError('unreadable', say`The sheet "${this.#name}" has a cell beyond the last possible column.`)
    let slot = this.#slots[column]!
    if (slot < 0) slot = this.#addSlot(column)
    if (this.#texts[slot] === null) this.#filled++
    this.#texts[slot] = text
    this.#kinds[slot] = kind
    this.#length += text.length
  }

  /**
   * Ends a row that is repeated `times` times; returns whether there is anything in it. @throws {TableError} too_large
   */
  endRow(times = 1): boolean {
    if (this.#filled === 0) {
      this.#empty += times
      return false
    }
    if (this.#length > ROW_LIMIT)
      throw new TableError('too_large', say`A row of the sheet "${this.#name}" has more than ${ROW_LIMIT} characters.`)
    if (this.#rows.rows > 0 || (this.#head?.length ?? 0) > 0) this.#gaps += this.#empty
    this.#empty = 0
    for (let n = 0; n < times && !this.full; n++) {
      if (this.#head === null) this.#write(this.#texts, this.#kinds, this.#length)
      else {
        this.#head.push({ texts: [...this.#texts], kinds: this.#kinds.slice(0, this.#texts.length) })
        if (this.#head.length >= HEAD_ROWS) this.#settleHead()
      }
    }
    this.#texts.fill(null)
    this.#kinds.fill(0, 0, this.#texts.length)
    this.#filled = 0
    this.#length = 0
    return true
  }

  /** Closes the file, complete or not. */
  [Symbol.dispose](): void {
    this.#rows.close()
  }

  /** The gathered sheet. `notices` come first. */
  finish(notices: readonly Sentence[]): SheetDraft {
    this.#settleHead()
    this.#rows.close()
    const name = this.#name
    if (this.#columns.length === 0)
      return {
        name,
        columns: [{ label: columnLabel(0), text: true }],
        select: 'SELECT CAST(NULL AS VARCHAR) AS c0 WHERE false',
        notices: [...notices, say`This sheet is empty.`],
      }
    const order = this.#columns.map((column, slot) => ({ column, slot })).sort((a, b) => a.column - b.column)
    const width = this.#columns.length
    const cells = order.map(({ slot }, i) => `${this.#seen[slot] === DATES ? withTime(slot) : `c${slot}`} AS c${i}`)
    const select = (padded: boolean): string =>
      `SELECT ${cells.join(', ')} FROM (${csvSelect(this.#file, { delimiter: ',', skip: 0, width, padded, ours: true })})`
    const draft = {
      name,
      columns: order.map(({ column, slot }) => ({
        label: this.#labels?.[slot] ?? columnLabel(column),
        text: (this.#seen[slot]! & TEXTS) !== 0,
        typed: (this.#seen[slot]! & TEXTS) === 0,
      })),
      notices: [...notices, ...this.#notices()],
      header_row: this.#header_row,
    }
    if (this.#ragged || this.#longest > LONG_ROW) return { ...draft, select: select(true) }
    return { ...draft, select: select(false), fallback: async () => ({ ...draft, select: select(true) }) }
  }

  #notices(): Sentence[] {
    const notices: Sentence[] = []
    const titles = this.#titles.map((title) => `"${title}"`).join(', ')
    if (titles !== '') notices.push(say`Above the table: ${cut(titles, 500)}.`)
    if (this.#gaps > 0) notices.push(say`Empty rows between others that were left out: ${this.#gaps}.`)
    return notices
  }

  #addSlot(column: number): number {
    const slot = this.#columns.length
    if (slot >= COLUMN_LIMIT)
      throw new TableError('too_large', say`The sheet "${this.#name}" has more than ${COLUMN_LIMIT} columns.`)
    this.#slots[column] = slot
    this.#columns.push(column)
    this.#texts.push(null)
    return slot
  }

  #settleHead(): void {
    const head = this.#head
    if (head === null) return
    this.#head = null
    const { skip, header } = this.#headOf(head)
    this.#header_row = header ? skip + 1 : 0
    for (const { texts } of head.slice(0, skip)) this.#titles.push(texts.find((text) => text !== null) ?? '')
    if (header) this.#labels = head[skip]!.texts
    for (const { texts, kinds } of head.slice(skip + (header ? 1 : 0))) {
      if (this.full) return
      const padded = [...texts, ...Array.from({ length: this.#texts.length - texts.length }, () => null)]
      this.#write(
        padded,
        kinds,
        texts.reduce((sum, text) => sum + (text?.length ?? 0), 0),
      )
    }
  }

  /** @throws {TableError} unreadable, when the chosen row doesn't exist */
  #headOf(head: readonly SheetRow[]): SheetHead {
    if (this.#chosen === undefined) return head.length === 0 ? { skip: 0, header: false } : findHeader(head)
    if (this.#chosen === 0) return { skip: 0, header: false }
    if (this.#chosen > head.length)
      throw new TableError('unreadable', say`This file has no row ${this.#chosen} that could hold the labels.`)
    return { skip: this.#chosen - 1, header: true }
  }

  #write(texts: readonly (string | null)[], kinds: Uint8Array, length: number): void {
    for (let slot = 0; slot < texts.length; slot++) if (texts[slot] !== null) this.#seen[slot]! |= 1 << kinds[slot]!
    if (texts.length !== this.#width) {
      this.#ragged = this.#width >= 0
      this.#width = texts.length
    }
    if (length > this.#longest) this.#longest = length
    this.#rows.write(texts)
  }
}

function columnLabel(column: number): string {
  return `Column ${columnLetters(column)}`
}

/** In a column of days and times, all become times, so that they compare. */
function withTime(slot: number): string {
  return `CASE WHEN length(c${slot}) = 10 THEN c${slot} || 'T00:00:00' ELSE c${slot} END`
}

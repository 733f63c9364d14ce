import type { TableReading } from '../../../contract/table-reading.ts'
import type { Sentence } from '../../kernel/sentence.ts'
import type { Allowance } from './allowance.ts'
import type { Duck } from '../query/duck.ts'

/** The input of a format's reader. The engine can open nothing but `path` and `scratch`. */
export interface Reading {
  readonly duck: Duck
  /** The file. */
  readonly path: string
  /** Its name, a label. */
  readonly name: string
  /** A folder of its own, removed afterwards. */
  readonly scratch: string
  /** What may be written while it is read, by all sheets together. */
  readonly allowance: Allowance
  /** What the owner of the file has chosen. */
  readonly choice: TableReading
  /** Only this many rows from the beginning are needed; null: all. */
  readonly rows: number | null
  /** With `rows`: only this sheet is needed; null is the first one. */
  readonly sheet: string | null
}

/** A sheet as a reader found it: how to get its rows as text. */
export interface SheetDraft {
  readonly name: string
  /**
   * `text`: the file itself declares the column as text, so digits in it aren't numbers. `typed`: it declares every
   * cell as something other than text, so that none can hold a value written as text.
   */
  readonly columns: readonly { readonly label: string; readonly text: boolean; readonly typed?: boolean }[]
  /** SQL that yields one text column for each of `columns`, rows in file order. */
  readonly select: string
  readonly notices: readonly Sentence[]
  /** The row that holds the labels, from 1; 0: none. Omitted in formats that name their columns. */
  readonly header_row?: number
  /** The fallback when `select` fails with this error, slower and more tolerant. */
  readonly fallback?: (error?: unknown) => Promise<SheetDraft>
}

export interface FileDraft {
  readonly encoding: string | null
  /** The file doesn't name its encoding. */
  readonly encoding_guessed?: boolean
  readonly delimiter: string | null
  readonly sheets: readonly SheetDraft[]
}

/** Reads one format. @throws {TableError} unreadable, too_large */
export type SheetReader = (reading: Reading) => Promise<FileDraft>

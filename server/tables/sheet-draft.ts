import type { Duck } from './duck.ts'

/** What a format's reader is given. Nothing but `path` and `scratch` can be opened by the engine. */
export interface Reading {
  readonly duck: Duck
  /** The file. */
  readonly path: string
  /** Its name, a label. */
  readonly name: string
  /** An own folder, removed afterwards. */
  readonly scratch: string
  /** So many rows of the beginning are enough; null: all are wanted. */
  readonly rows: number | null
  /** With `rows`: only this sheet's are needed; null is the first one. */
  readonly sheet: string | null
}

/** A sheet as a reader found it: how to get its rows as text. */
export interface SheetDraft {
  readonly name: string
  /** `text`: the file itself says that the column holds text, so digits in it are no numbers. */
  readonly columns: readonly { readonly label: string; readonly text: boolean }[]
  /** SQL that gives one text column for each of `columns`, rows in the order of the file. */
  readonly select: string
  readonly notices: readonly string[]
  /** Another way for when `select` fails, slower and more patient. */
  readonly fallback?: () => Promise<SheetDraft>
}

export interface FileDraft {
  readonly encoding: string | null
  readonly delimiter: string | null
  readonly sheets: readonly SheetDraft[]
}

/** Reads one format. @throws {TableError} unreadable, too_large */
export type SheetReader = (reading: Reading) => Promise<FileDraft>

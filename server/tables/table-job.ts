import type { ExportPlan } from './export/export-plan.ts'
import type { PackedSentence } from '../kernel/sentence.ts'
import type { TableErrorCode } from './table-error.ts'
import type { PreparedColumn, PreparedFile, TableCell, TableColumnType } from './table-shape.ts'
import type { TableView } from './table-view.ts'

/** A sheet in the cached form: where it lies, and its columns. */
export interface StoredSheet {
  readonly file: string
  readonly index: number
  readonly columns: readonly PreparedColumn[]
  readonly rows: number
}

/** What a worker is asked. A worker has one job at a time and knows nothing but what stands in it. */
export type TableJob = PrepareJob | PreviewJob | PageJob | QueryJob | ExportJob
export interface PrepareJob {
  readonly kind: 'prepare'
  readonly path: string
  readonly name: string
  /** Gets `data.duckdb`. */
  readonly out: string
  readonly scratch: string
}
/** The first rows, straight from the file. */
export interface PreviewJob {
  readonly kind: 'preview'
  readonly path: string
  readonly name: string
  readonly sheet: string | null
  readonly rows: number
  readonly scratch: string
}
export interface PageJob {
  readonly kind: 'page'
  readonly sheet: StoredSheet
  readonly view: TableView
  readonly offset: number
  readonly limit: number
  readonly scratch: string
}
export interface QueryJob {
  readonly kind: 'query'
  /** `view`: only the rows that its filters and search leave. */
  readonly sources: readonly { readonly name: string; readonly sheet: StoredSheet; readonly view: TableView }[]
  readonly sql: string
  readonly params: readonly TableCell[]
  readonly limit: number
  readonly scratch: string
}
/** A workbook of all rows of a view. Its bytes come as pieces, at most `PIECES_AHEAD` before they are asked for. */
export interface ExportJob {
  readonly kind: 'export'
  readonly sheet: StoredSheet
  readonly view: TableView
  readonly plan: ExportPlan
  readonly scratch: string
}

export interface PageRows {
  readonly rows: Record<string, TableCell>[]
  readonly total_rows: number
}
export interface PreviewRows {
  /** As far as it was read: types and numbers of rows are those of the beginning. */
  readonly file: PreparedFile
  /** Which sheet the rows are of; -1 when there is none with the name. */
  readonly sheet: number
  readonly rows: Record<string, TableCell>[]
}
export interface QueryRows extends PageRows {
  readonly columns: { key: string; label: string; type: TableColumnType }[]
}
export interface JobResults {
  prepare: PreparedFile
  preview: PreviewRows
  page: PageRows
  query: QueryRows
  export: null
}

/** What a worker answers. `last`: it takes no further job. */
export type TableAnswer =
  | { readonly ok: true; readonly result: JobResults[keyof JobResults]; readonly last: boolean }
  | { readonly ok: false; readonly code: TableErrorCode; readonly detail: PackedSentence; readonly last: boolean }

/** The word that a job will come soon: everything that it may need can be loaded. It is not answered. */
export interface WarmUp {
  readonly kind: 'warm'
}

/** Bytes of a job that has not ended, and the word that one of them was taken. */
export interface TablePiece {
  readonly piece: Uint8Array
}
export interface PieceTaken {
  readonly kind: 'taken'
}
export const PIECES_AHEAD = 8

/** The name under which a prepared file lies in its folder. */
export const DATA_FILE = 'data.duckdb'

import type { Cast } from '../table-shape.ts'

/** What a column holds: the types of stored tables, and those that only tables of answers have (percent of 0–100, milliseconds). */
export type ExportType =
  | 'text'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'date'
  | 'datetime'
  | 'bytes'
  | 'percent'
  | 'duration'

/** How a column is to be shown. */
export interface ColumnPresentation {
  readonly label?: string | undefined
  /** As `parseFormat` knows it; others are told of in a notice, and not used. */
  readonly format?: string | undefined
  /** Characters. */
  readonly width?: number | undefined
  /** Written, but folded away; the provenance sheet names it. */
  readonly hidden?: boolean | undefined
}

export interface ExportColumn {
  readonly key: string
  readonly label: string
  readonly type: ExportType
  /** Of a stored file: its cells are texts, and this is how they are read. Null: cells are values of JSON. */
  readonly cast: Cast | null
}

/** Everything a workbook is made of but its rows. It can be sent to another process. */
export interface ExportPlan {
  /** Names the workbook and its sheet. */
  readonly title: string
  readonly columns: readonly ExportColumn[]
  readonly presentation: Readonly<Record<string, ColumnPresentation>>
  /** Lines of the provenance sheet above the number of rows, as name and text. */
  readonly origin: readonly (readonly [string, string])[]
  /** Who exports: a name that people know. */
  readonly by: string
  /** ISO 8601, UTC. */
  readonly at: string
  /** Sentences about the data that are known before. */
  readonly notices: readonly string[]
}

/** Rows as cells in the order of the plan's columns. */
export type ExportRow = readonly unknown[]

export const COLUMN_LIMIT = 16_384
/** Rows of a sheet without its header. */
export const ROW_LIMIT = 1_048_575
export const CELL_LIMIT = 32_767

import type { ExportFormat } from '../../../contract/export-formats.ts'
import type { Cast } from './table-shape.ts'

/**
 * What a column contains: the types of stored tables, and those that only tables in answers have (percent of 0–100,
 * milliseconds).
 */
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

/** How a column is presented. */
export interface ColumnPresentation {
  readonly label?: string | undefined
  /** As `parseFormat` understands it; others are ignored and reported in a notice. */
  readonly format?: string | undefined
  /** Characters. */
  readonly width?: number | undefined
  /** Written, but collapsed; the provenance sheet names it. */
  readonly hidden?: boolean | undefined
}

export interface ExportColumn {
  readonly key: string
  readonly label: string
  readonly type: ExportType
  /** Of a stored file: its cells are texts, and this is how they are converted. Null: cells are JSON values. */
  readonly cast: Cast | null
}

/** What a file of exported tables says about itself. */
export interface ExportBook {
  readonly title: string
  /** The exporting user, by a name that people know. */
  readonly by: string
  /** ISO 8601, UTC. */
  readonly at: string
}

/** Everything about an exported table except its rows. It can be sent to another process. */
export interface ExportPlan extends ExportBook {
  readonly columns: readonly ExportColumn[]
  readonly presentation: Readonly<Record<string, ColumnPresentation>>
  /** Lines of the provenance sheet above the row count, as name and text. */
  readonly origin: readonly (readonly [string, string])[]
  /** The language of its sentences; English by default. */
  readonly language?: string | undefined
  /** Sentences about the data that are known before it is written, in that language. */
  readonly notices: readonly string[]
}

/** Rows as cells in the order of the plan's columns. */
export type ExportRow = readonly unknown[]

/** What to make of the tables. */
export interface ExportTo {
  readonly format: ExportFormat
  readonly book: ExportBook
  /** A ZIP with a file per table and one for their provenance. Workbooks don't need it: they hold many tables. */
  readonly archive: boolean
}

/** One table on its way into a file: its rows are pulled on demand. */
export interface SheetToWrite {
  readonly plan: ExportPlan
  readonly batches: AsyncIterable<readonly ExportRow[]>
}

export const COLUMN_LIMIT = 16_384
/** Rows of a sheet without its header. */
export const ROW_LIMIT = 1_048_575
export const CELL_LIMIT = 32_767

/** Who exported when, and with what: the provenance lines that don't depend on the data. */
export function exportLines({ at, by }: ExportBook): (readonly [string, string])[] {
  return [
    ['Exported at', `${at.slice(0, 19).replace('T', ' ')} UTC`],
    ['Exported by', by],
    ['Exported with', 'Reeve'],
  ]
}

import type { TableChart } from '../../../contract/table-chart.ts'
import type { TableReading } from '../../../contract/table-reading.ts'
import type { ExportPlan, ExportRow, ExportTo } from './export-plan.ts'
import type { PackedSentence } from '../../kernel/sentence.ts'
import type { TableErrorCode } from './table-error.ts'
import type { PreparedColumn, PreparedFile, TableCell, TableColumnType } from './table-shape.ts'
import type { SheetView } from './sheet-view.ts'

/** A sheet in the cached form: its location and its columns. */
export interface StoredSheet {
  readonly file: string
  readonly index: number
  readonly columns: readonly PreparedColumn[]
  readonly rows: number
}

/** A request to a worker. A worker has one job at a time and knows nothing but the job's content. */
export type TableJob = PrepareJob | PreviewJob | PageJob | ChartJob | OrderJob | QueryJob | ExportJob | ExportRowsJob
export interface PrepareJob {
  readonly kind: 'prepare'
  readonly path: string
  readonly name: string
  readonly reading: TableReading
  /** Gets `data.duckdb`. */
  readonly out: string
  readonly scratch: string
}
/** The first rows, straight from the file. */
export interface PreviewJob {
  readonly kind: 'preview'
  readonly path: string
  readonly name: string
  readonly reading: TableReading
  readonly sheet: string | null
  readonly rows: number
  readonly scratch: string
}
export interface PageJob {
  readonly kind: 'page'
  readonly sheet: StoredSheet
  readonly view: SheetView
  /** The viewing user's: the order of texts depends on it. */
  readonly language: string | undefined
  readonly offset: number
  readonly limit: number
  /** A file that an OrderJob wrote for this view: its rows are not sorted again. */
  readonly order?: string | undefined
  readonly scratch: string
}
/** What a chart of a view draws. */
export interface ChartJob {
  readonly kind: 'chart'
  readonly sheet: StoredSheet
  readonly view: SheetView
  readonly language: string | undefined
  readonly chart: TableChart
  readonly scratch: string
}
/** Writes the row positions of a sorted view, in its order, into a file of its own: `out`. */
export interface OrderJob {
  readonly kind: 'order'
  readonly sheet: StoredSheet
  readonly view: SheetView
  readonly language: string | undefined
  readonly out: string
  readonly scratch: string
}
export interface QueryJob {
  readonly kind: 'query'
  /** `view`: only the rows that match its filters and search. */
  readonly sources: readonly { readonly name: string; readonly sheet: StoredSheet; readonly view: SheetView }[]
  readonly sql: string
  readonly params: readonly TableCell[]
  readonly limit: number
  readonly scratch: string
}
/** A file of all rows of views. Its bytes come as pieces, at most `PIECES_AHEAD` before they are taken. */
export interface ExportJob extends ExportTo {
  readonly kind: 'export'
  /** The exporting user's: the order of texts depends on it. */
  readonly language: string | undefined
  /** In formats that hold one table, only one unless `archive`. */
  readonly sheets: readonly { readonly sheet: StoredSheet; readonly view: SheetView; readonly plan: ExportPlan }[]
  readonly scratch: string
}
/** Rows of a request as Parquet; its bytes come the same way. */
export interface ExportRowsJob {
  readonly kind: 'export_rows'
  readonly plan: ExportPlan
  readonly rows: readonly ExportRow[]
  readonly scratch: string
}

export interface PageRows {
  readonly rows: Record<string, TableCell>[]
  /**
   * Row by row, the cells as they are in the file, of columns whose values look different; omitted when there are none.
   */
  readonly texts?: Record<string, string>[]
  readonly total_rows: number
}
export interface ChartRows {
  readonly rows: Record<string, TableCell>[]
  /** Names, or rows that have something to draw. */
  readonly total: number
  readonly summed: boolean
}
export interface PreviewRows {
  /** As far as it was read: types and row counts are those of the beginning. */
  readonly file: PreparedFile
  /** Which sheet the rows belong to; -1 when none has the name. */
  readonly sheet: number
  readonly rows: Record<string, TableCell>[]
  readonly texts?: PageRows['texts']
}
export interface QueryRows extends Omit<PageRows, 'texts'> {
  readonly columns: { key: string; label: string; type: TableColumnType }[]
}
export interface JobResults {
  prepare: PreparedFile
  preview: PreviewRows
  page: PageRows
  chart: ChartRows
  order: null
  query: QueryRows
  export: null
  export_rows: null
}

/** A worker's answer. `last`: it takes no further job. */
export type TableAnswer =
  | { readonly ok: true; readonly result: JobResults[keyof JobResults]; readonly last: boolean }
  | { readonly ok: false; readonly code: TableErrorCode; readonly detail: PackedSentence; readonly last: boolean }

/** Starts a worker without any file: it loads everything, keeps the compiled code and ends. It is not answered. */
export interface Compile {
  readonly kind: 'compile'
}

/** Announces that a job will come soon: everything that it may need can be loaded. It is not answered. */
export interface WarmUp {
  readonly kind: 'warm'
}

/** Bytes of an unfinished job, and the acknowledgement of one piece. */
export interface TablePiece {
  readonly piece: Uint8Array
}
export interface PieceTaken {
  readonly kind: 'taken'
}
export const PIECES_AHEAD = 8

/** The name of a prepared file in its folder. */
export const DATA_FILE = 'data.duckdb'

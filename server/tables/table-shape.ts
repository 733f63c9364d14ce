/** How a column is shown and compared. Every cell is stored as the text that the file has; the type never changes it. */
export type TableColumnType = 'text' | 'integer' | 'number' | 'boolean' | 'date' | 'datetime'

/** `date` is `YYYY-MM-DD`, `datetime` ISO 8601; numbers that a double cannot hold exactly are text. */
export type TableCell = string | number | boolean | null

export interface TableColumn {
  /** The label, made unique: what views and SQL name the column by. */
  readonly key: string
  readonly label: string
  readonly type: TableColumnType
  /** Whether there are empty cells. */
  readonly nullable: boolean
}

/** How the text of a whole column becomes a value; it holds for every cell of it. */
export type Cast =
  | { readonly kind: 'text' }
  | { readonly kind: 'integer'; readonly wide: boolean }
  /** `scale` digits after the point; null: floating. `comma`: the decimal point is a comma. */
  | { readonly kind: 'number'; readonly scale: number | null; readonly comma: boolean }
  | { readonly kind: 'boolean' }
  /** A format of strptime; null: ISO. */
  | { readonly kind: 'date'; readonly format: string | null }
  | { readonly kind: 'datetime'; readonly format: string | null; readonly zoned: boolean }

export interface PreparedColumn extends TableColumn {
  readonly cast: Cast
}

/** One sheet in the cached form: table `t<index>` with text columns `c0`, `c1`, …, rows in the order of the file. */
export interface PreparedSheet {
  readonly name: string
  readonly columns: readonly PreparedColumn[]
  readonly rows: number
  /** Sentences about what was found broken or left out. */
  readonly notices: readonly string[]
}

export interface PreparedFile {
  readonly format: string
  /** Of text formats; null otherwise. */
  readonly encoding: string | null
  readonly delimiter: string | null
  readonly sheets: readonly PreparedSheet[]
}

export const COLUMN_LIMIT = 4000
export const SHEET_LIMIT = 200

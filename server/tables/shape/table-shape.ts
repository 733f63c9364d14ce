import type { PackedSentence } from '../../kernel/sentence.ts'

/** How a column is shown and compared. Every cell is stored as its text in the file. */
export type TableColumnType = 'text' | 'integer' | 'number' | 'boolean' | 'date' | 'datetime'

/** `date` is `YYYY-MM-DD`, `datetime` ISO 8601; numbers that a double cannot hold exactly are text. */
export type TableCell = string | number | boolean | null

export interface TableColumn {
  /** The label, made unique: views and SQL name the column by it. */
  readonly key: string
  readonly label: string
  readonly type: TableColumnType
  /** Whether there are empty cells. */
  readonly nullable: boolean
}

/** How the text of a whole column becomes a value; applies to every cell of it. */
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
  /**
   * The file writes its values in a notation of its own, such as `$1,234.50`: `c<index>` has them plain, and `o<index>`
   * as they are in the file.
   */
  readonly written?: true
}

/** One sheet in the cached form: table `t<index>` with text columns `c0`, `c1`, …, rows in file order. */
export interface PreparedSheet {
  readonly name: string
  readonly columns: readonly PreparedColumn[]
  readonly rows: number
  /** Sentences about what was broken or left out. */
  readonly notices: readonly PackedSentence[]
  /** The row that holds the labels, from 1; 0: none. Omitted in formats that name their columns. */
  readonly header_row?: number
}

export interface PreparedFile {
  readonly format: string
  /** Of text formats; null otherwise. */
  readonly encoding: string | null
  /** The file doesn't name its encoding. */
  readonly encoding_guessed?: boolean
  readonly delimiter: string | null
  readonly sheets: readonly PreparedSheet[]
}

export const COLUMN_LIMIT = 4000
export const SHEET_LIMIT = 200

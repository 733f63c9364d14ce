import type { CellType } from '../../contract/messages.ts'
import type { z } from 'zod'

export interface GridColumn {
  readonly key: string
  /** As shown; the key stays what views and exports name it by. */
  readonly label: string
  readonly type: z.infer<typeof CellType>
}
export type GridCell = string | number | boolean | null
export type GridRow = Readonly<Record<string, GridCell>>

/** Where a grid gets its rows from, already searched, filtered and sorted: from memory, or page by page from the server. */
export interface GridSource {
  readonly rowCount: number
  /** Undefined while it is on its way. */
  row(index: number): GridRow | undefined
  /** These rows are in sight now (`last` included). */
  show(first: number, last: number): void
  /** The rows of a stretch, fetched where they are missing. Rejects with the error of the request. */
  rows(first: number, last: number): Promise<readonly GridRow[]>
}

/** Columns of these types hold numbers: right-aligned, sorted by value, drawn on an axis. */
export function isNumeric(column: Pick<GridColumn, 'type'>): boolean {
  return ['integer', 'number', 'bytes', 'percent', 'duration'].includes(column.type)
}

import type { CellType } from '../../../contract/messages.ts'
import type { ChartSuggestion } from '../../../contract/chart-suggestion.ts'
import type { TableChartResult } from '../../../contract/table-chart.ts'
import type { ReactNode } from 'react'
import type { z } from 'zod'

export interface GridColumn {
  readonly key: string
  /** As displayed; views and exports still use the key. */
  readonly label: string
  readonly type: z.infer<typeof CellType>
}
export type GridCell = string | number | boolean | null
export type GridRow = Readonly<Record<string, GridCell>>

/** Source of a grid's rows, already searched, filtered and sorted: from memory, or page by page from the server. */
export interface GridSource {
  readonly rowCount: number
  /** Undefined while loading. */
  row(index: number): GridRow | undefined
  /** The row as displayed, where cells are stored differently in the file. */
  shown?(index: number): GridRow | undefined
  /** What a cell shows in place of its text, with the same words; undefined: its text. */
  content?(index: number, key: string): ReactNode | undefined
  /** Reports the rows now in view (`last` inclusive). */
  show(first: number, last: number): void
  /** A range of rows, fetched where missing. Rejects with the request's error. */
  rows(first: number, last: number): Promise<readonly GridRow[]>
  /** What a chart of all rows draws, thinned out where they are many; without it, all rows are at hand. */
  chart?(choice: ChartSuggestion): Promise<TableChartResult>
}

/** Types that hold numbers: right-aligned, sorted by value, plotted on an axis. */
export function isNumeric(column: Pick<GridColumn, 'type'>): boolean {
  return ['integer', 'number', 'bytes', 'percent', 'duration'].includes(column.type)
}

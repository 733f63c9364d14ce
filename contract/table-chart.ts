import { z } from 'zod'
import { CHART_KINDS, CHART_SERIES_LIMIT } from './chart-suggestion.ts'
import { Cell } from './messages.ts'

export const ColumnKey = z.string().min(1).max(300)

/** What is drawn: numbers of the columns `y` by the column `x`, each referred to by its key. */
export const TableChart = z.strictObject({
  kind: z.enum(CHART_KINDS),
  x: ColumnKey,
  y: z.array(ColumnKey).min(1).max(CHART_SERIES_LIMIT),
})
export type TableChart = z.infer<typeof TableChart>

export const TableChartResult = z.strictObject({
  /**
   * At most about 4,000, with the cells of `x` and `y` only. Along a number or a time, in its order: the rows with the
   * lowest and the highest value of each stretch (scatter: one row of each spot). By name: one row per name with the
   * sums of its rows; for bars and slices those of the names with the largest sums.
   */
  rows: z.array(z.record(z.string(), Cell)),
  /** By name: how many names there are. Otherwise: how many rows of the view have something to draw. */
  total: z.int(),
  /** Rows of the same name are summed. */
  summed: z.boolean(),
})
export type TableChartResult = z.infer<typeof TableChartResult>

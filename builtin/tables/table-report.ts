import { suggestCharts, type ChartKind } from '../../contract/chart-suggestion.ts'
import type { TableCell, TableColumn } from '../../server/tables/shape/table-shape.ts'
import type { ReportTable } from '../tool.ts'

/** Maximum number of columns in one part of an answer. */
export const SHOWN_COLUMNS = 60
/** Two bars are easier to read as two numbers. */
const FEWEST_DRAWN = 3

/** Rows as a table part. */
export function reportTable(
  title: string,
  columns: readonly Pick<TableColumn, 'key' | 'label' | 'type'>[],
  rows: readonly Record<string, TableCell>[],
  total_rows: number,
): ReportTable {
  return { title, columns: columns.map(({ key, label, type }) => ({ key, label, type })), rows, total_rows }
}

/**
 * A table part with the chart `wanted` if its columns allow it; with `auto`, only if it is complete and makes a good
 * chart.
 */
export function charted(table: ReportTable, wanted: ChartKind | 'auto' | 'none'): ReportTable {
  const { rows, total_rows = rows.length } = table
  if (wanted === 'none' || (wanted === 'auto' && (rows.length < FEWEST_DRAWN || total_rows > rows.length))) return table
  const possible = suggestCharts(table.columns.slice(0, SHOWN_COLUMNS), rows)
  const [best] = possible
  if (best === undefined) return table
  const chart = possible.find(({ kind }) => kind === wanted)
  if (chart !== undefined || wanted === 'auto' || wanted === 'scatter') return { ...table, chart: chart ?? best }
  // Unusual but possible: slices need a single measure, and points along an axis cannot be placed on names.
  const y = wanted === 'pie' ? best.y.slice(0, 1) : best.y
  return { ...table, chart: { kind: wanted, x: best.x, y } }
}

/** What a person must know besides the rows: faults in the file, and what is not shown. */
export function remarks(notices: readonly string[], columns: number): string {
  const wide =
    columns > SHOWN_COLUMNS
      ? [`Only the first ${SHOWN_COLUMNS} of ${columns} columns are shown; name those that matter.`]
      : []
  return [...wide, ...notices].map((each) => `\n${each}`).join('')
}

export function countOf(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`
}

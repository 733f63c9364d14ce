import type { ChartSuggestion } from '../../../contract/chart-suggestion.ts'
import { isNumeric, type GridColumn, type GridRow } from '../grid/grid-source.ts'

export interface ChartPoint {
  /** Position on the axis: the value, a time in epoch milliseconds, or the index in `names`. */
  readonly x: number
  readonly y: number
  readonly name: string
}
export interface ChartSeries {
  readonly column: GridColumn
  readonly points: readonly ChartPoint[]
}
export interface ChartData {
  readonly x: GridColumn
  /** `names`: the categories of the x axis; otherwise the axis is numeric. */
  readonly names: readonly string[] | null
  readonly series: readonly ChartSeries[]
  /** Names or points that are drawn, and those that were left out. */
  readonly drawn: number
  readonly left: number
}
/** The rows that a chart draws: all, or as many as the server found to be enough. */
export interface ChartRows {
  readonly rows: readonly GridRow[]
  /** Rows, or names once `summed`, that these stand for. */
  readonly total: number
  /** Rows of the same name are summed already. */
  readonly summed: boolean
}

const MOST_BARS = 60
const MOST_SLICES = 9

type Format = (row: GridRow, column: GridColumn) => string

/** Whether the columns are there, and the one along the axis suits the kind of chart. */
export function isDrawable({ kind, x, y }: ChartSuggestion, columns: readonly GridColumn[]): boolean {
  const axis = columns.find(({ key }) => key === x)
  if (axis === undefined || !columns.some(({ key }) => y.includes(key))) return false
  return kind !== 'scatter' || isMeasured(axis)
}

function isMeasured(column: GridColumn): boolean {
  return isNumeric(column) || column.type === 'date' || column.type === 'datetime'
}

/** The data of a chart: numbers along an x axis. Bars and slices sum rows of the same name and keep the largest. */
export function chartData(
  choice: ChartSuggestion,
  columns: readonly GridColumn[],
  found: ChartRows,
  format: Format,
): ChartData | null {
  if (!isDrawable(choice, columns)) return null
  const x = columns.find(({ key }) => key === choice.x)!
  const y = choice.y.flatMap((wanted) => columns.find(({ key }) => key === wanted) ?? [])
  if (choice.kind === 'bar' || choice.kind === 'pie' || !isMeasured(x)) return byName(choice.kind, x, y, found, format)
  const series = y.map(over(x, found.rows, format))
  // Rows without a value are nothing that could be drawn: they are not left out.
  return { x, names: null, series, drawn: found.rows.length, left: found.total - found.rows.length }
}

function over(x: GridColumn, rows: readonly GridRow[], format: Format) {
  return (column: GridColumn): ChartSeries => ({
    column,
    points: rows
      .flatMap((row) => {
        const at = measure(row[x.key])
        const value = row[column.key]
        return at === null || typeof value !== 'number' ? [] : [{ x: at, y: value, name: format(row, x) }]
      })
      .toSorted((a, b) => a.x - b.x),
  })
}

function byName(
  kind: ChartSuggestion['kind'],
  x: GridColumn,
  y: readonly GridColumn[],
  { rows, total, summed }: ChartRows,
  format: Format,
): ChartData {
  const sums = new Map<string, number[]>()
  for (const row of rows) {
    const name = format(row, x)
    const sum = sums.get(name) ?? y.map(() => 0)
    y.forEach((column, index) => {
      const value = row[column.key]
      if (typeof value === 'number') sum[index]! += value
    })
    sums.set(name, sum)
  }
  const limit = kind === 'pie' ? MOST_SLICES : kind === 'bar' ? MOST_BARS : Infinity
  let names = [...sums.keys()]
  // Only when some must be left out: otherwise the row order says more.
  if (names.length > limit || kind === 'pie') names = names.toSorted((a, b) => sums.get(b)![0]! - sums.get(a)![0]!)
  const kept = names.slice(0, limit)
  const left = summed ? Math.max(0, total - kept.length) : names.length - kept.length
  return {
    x,
    names: kept,
    drawn: kept.length,
    left,
    series: y.map((column, index) => ({
      column,
      points: kept.map((name, at) => ({ x: at, y: sums.get(name)![index]!, name })),
    })),
  }
}

/** A number, or the time a text represents, in epoch milliseconds. */
function measure(value: GridRow[string] | undefined): number | null {
  if (typeof value === 'number') return value
  if (typeof value !== 'string') return null
  const time = Date.parse(value)
  return Number.isNaN(time) ? null : time
}

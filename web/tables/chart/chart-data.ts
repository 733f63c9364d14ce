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
  /** Number of categories left out of bars and slices. */
  readonly left: number
}

const MOST_BARS = 60
const MOST_SLICES = 9

type Format = (row: GridRow, column: GridColumn) => string

/** The data of a chart: numbers along an x axis. Bars and slices sum rows of the same name and keep the largest. */
export function chartData(
  choice: ChartSuggestion,
  columns: readonly GridColumn[],
  rows: readonly GridRow[],
  format: Format,
): ChartData | null {
  const find = (key: string) => columns.find((column) => column.key === key)
  const x = find(choice.x)
  const y = choice.y.flatMap((key) => find(key) ?? [])
  if (x === undefined || y.length === 0) return null
  const measured = isNumeric(x) || x.type === 'date' || x.type === 'datetime'
  if (choice.kind === 'scatter' && !measured) return null
  if (choice.kind !== 'bar' && choice.kind !== 'pie' && measured)
    return { x, names: null, series: y.map(over(x, rows, format)), left: 0 }
  return byName(choice.kind, x, y, rows, format)
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
  rows: readonly GridRow[],
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
  const left = names.length - kept.length
  return {
    x,
    names: kept,
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

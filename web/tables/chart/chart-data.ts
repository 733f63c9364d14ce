import type { ChartSuggestion } from '../../../contract/chart-suggestion.ts'
import { isNumeric, type GridColumn, type GridRow } from '../grid-source.ts'

export interface ChartPoint {
  /** A number on the axis: the value, a time in epoch milliseconds, or the place in `names`. */
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
  /** `names`: the x axis has these, one after the other; else it is a measure. */
  readonly names: readonly string[] | null
  readonly series: readonly ChartSeries[]
  /** Names that did not fit; of bars and slices. */
  readonly left: number
}

const MOST_BARS = 60
const MOST_SLICES = 9

type Format = (row: GridRow, column: GridColumn) => string

/** What a chart draws: numbers by an x axis. Rows with the same name are summed in bars and slices; the largest are kept. */
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
  // Only where some have to go: else the order of the rows says more.
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

/** A number, or the time that a text means, in epoch milliseconds. */
function measure(value: GridRow[string] | undefined): number | null {
  if (typeof value === 'number') return value
  if (typeof value !== 'string') return null
  const time = Date.parse(value)
  return Number.isNaN(time) ? null : time
}

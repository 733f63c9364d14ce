import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { GridColumn, GridRow } from '../grid/grid-source.ts'
import { chartData } from './chart-data.ts'
import { niceScale, place, timeScale } from './chart-scale.ts'

const columns: GridColumn[] = [
  { key: 'day', label: 'Day', type: 'date' },
  { key: 'host', label: 'Host', type: 'text' },
  { key: 'load', label: 'Load', type: 'number' },
]
const rows: GridRow[] = [
  { day: '2026-01-02', host: 'b', load: 2 },
  { day: '2026-01-01', host: 'a', load: 1 },
  { day: null, host: 'b', load: 5 },
  { day: '2026-01-03', host: 'c', load: null },
]
const all = (some: readonly GridRow[]) => ({ rows: some, total: some.length, summed: false })
const format = (row: GridRow, column: GridColumn) => String(row[column.key] ?? '')

describe('what a chart draws', () => {
  test('over time: in its order, without rows that lack one of the two', () => {
    const data = chartData({ kind: 'line', x: 'day', y: ['load'] }, columns, all(rows), format)
    expect(data?.names).toBeNull()
    expect(data?.series[0]?.points.map(({ name, y }) => [name, y])).toEqual([
      ['2026-01-01', 1],
      ['2026-01-02', 2],
    ])
  })
  test('by name: the same names are summed; slices by size', () => {
    const bars = chartData({ kind: 'bar', x: 'host', y: ['load'] }, columns, all(rows.slice(1)), format)
    expect(bars?.names).toEqual(['a', 'b', 'c'])
    const pie = chartData({ kind: 'pie', x: 'host', y: ['load'] }, columns, all(rows), format)
    expect(pie?.series[0]?.points.map(({ name, y }) => [name, y])).toEqual([
      ['b', 7],
      ['a', 1],
      ['c', 0],
    ])
  })
  test('many names: the largest are kept, and the rest is counted', () => {
    const many = Array.from({ length: 100 }, (_, index) => ({ host: `h${index}`, load: index }))
    const data = chartData({ kind: 'bar', x: 'host', y: ['load'] }, columns, all(many), format)
    expect(data?.names?.[0]).toBe('h99')
    expect(data?.left).toBe(40)
  })
  test('of rows that the server thinned out: how many they stand for', () => {
    const line = chartData(
      { kind: 'line', x: 'day', y: ['load'] },
      columns,
      { rows, total: 5000, summed: false },
      format,
    )
    expect(line).toMatchObject({ drawn: 4, left: 4996 })
    const bars = chartData(
      { kind: 'bar', x: 'host', y: ['load'] },
      columns,
      { rows: rows.slice(1), total: 90, summed: true },
      format,
    )
    expect(bars).toMatchObject({ drawn: 3, left: 87 })
  })
  test('nothing where a column is gone or cannot be an axis', () => {
    expect(chartData({ kind: 'line', x: 'gone', y: ['load'] }, columns, all(rows), format)).toBeNull()
    expect(chartData({ kind: 'scatter', x: 'host', y: ['load'] }, columns, all(rows), format)).toBeNull()
  })
})

test('a scale holds all values between round marks', () => {
  expect(niceScale([3, 97], true).ticks).toEqual([0, 20, 40, 60, 80, 100])
  expect(niceScale([], true)).toMatchObject({ from: 0, to: 1 })
  expect(timeScale([20, 10])).toMatchObject({ from: 10, to: 20 })
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: -1e9, max: 1e9, noNaN: true }), { minLength: 1 }),
      fc.boolean(),
      (values, zero) => {
        const scale = niceScale(values, zero)
        const close = (scale.to - scale.from) * 1e-6
        expect(scale.from).toBeLessThanOrEqual(Math.min(...values) + close)
        expect(scale.to).toBeGreaterThanOrEqual(Math.max(...values) - close)
        expect(scale.ticks.length).toBeLessThan(20)
        expect(place(scale, scale.to, 0, 100)).toBe(100)
      },
    ),
  )
})

import { describe, expect, test } from 'vitest'
import type { GridColumn, GridRow } from './grid-source.ts'
import { nextSort, type TableFilter, viewBody, WHOLE } from '../grid-view.ts'
import { toTsv } from './to-tsv.ts'
import { viewRows } from './view-rows.ts'

const columns: GridColumn[] = [
  { key: 'name', label: 'Name', type: 'text' },
  { key: 'rss', label: 'Memory', type: 'bytes' },
]
const all: GridRow[] = [
  { name: 'node 10', rss: 900 },
  { name: 'Éclair', rss: null },
  { name: 'node 9', rss: 10_000 },
]
const format = (row: GridRow, column: GridColumn) => String(row[column.key] ?? '')
const names = (view: Partial<typeof WHOLE>) =>
  viewRows(columns, all, { ...WHOLE, ...view }, format).map((row) => row['name'])
const only = (filter: TableFilter) => names({ filters: [filter] })

describe('a view', () => {
  test('sorts numbers by value and text by natural order, empty cells last both ways', () => {
    expect(names({ sort: [{ column: 'rss', dir: 'asc' }] })).toEqual(['node 10', 'node 9', 'Éclair'])
    expect(names({ sort: [{ column: 'rss', dir: 'desc' }] })).toEqual(['node 9', 'node 10', 'Éclair'])
    expect(names({ sort: [{ column: 'name', dir: 'asc' }] })).toEqual(['Éclair', 'node 9', 'node 10'])
  })
  test('searches without case and accents', () => {
    expect(names({ search: ' ECL' })).toEqual(['Éclair'])
  })
  test('filters by every operator, an empty cell unequal to all', () => {
    expect(only({ column: 'rss', op: 'gt', value: 900 })).toEqual(['node 9'])
    expect(only({ column: 'rss', op: 'gte', value: 900 })).toEqual(['node 10', 'node 9'])
    expect(only({ column: 'rss', op: 'lt', value: 10_000 })).toEqual(['node 10'])
    expect(only({ column: 'rss', op: 'lte', value: 10_000 })).toEqual(['node 10', 'node 9'])
    expect(only({ column: 'rss', op: 'eq', value: 900 })).toEqual(['node 10'])
    expect(only({ column: 'rss', op: 'ne', value: 900 })).toEqual(['Éclair', 'node 9'])
    expect(only({ column: 'rss', op: 'in', value: [900, 1] })).toEqual(['node 10'])
    expect(only({ column: 'rss', op: 'empty' })).toEqual(['Éclair'])
    expect(only({ column: 'rss', op: 'not_empty' })).toEqual(['node 10', 'node 9'])
    expect(only({ column: 'name', op: 'contains', value: 'CLA' })).toEqual(['Éclair'])
    expect(only({ column: 'name', op: 'starts_with', value: 'NODE' })).toEqual(['node 10', 'node 9'])
  })
  test('sort turns ascending, descending, off', () => {
    const first = nextSort([], 'name')
    expect(first).toEqual([{ column: 'name', dir: 'asc' }])
    expect(nextSort(nextSort(first, 'name'), 'name')).toEqual([])
  })
  test('is sent with only what is set', () => {
    expect(viewBody(WHOLE)).toEqual({})
    expect(viewBody({ search: ' a ', filters: [{ column: 'b', op: 'empty' }], sort: [] })).toEqual({
      search: 'a',
      filters: [{ column: 'b', op: 'empty' }],
    })
  })
})

test('tab-separated values keep raw numbers, quote what would break the line and disarm formulas', () => {
  const rows = [
    { name: '=HYPERLINK("x")', rss: 1 },
    { name: 'a\tb', rss: null },
    { name: '-5', rss: 2 },
  ]
  expect(toTsv(columns, rows)).toBe('Name\tMemory\n"\'=HYPERLINK(""x"")"\t1\n"a\tb"\t\n-5\t2')
  expect(toTsv(columns.slice(1), rows.slice(0, 1), false)).toBe('1')
})

import { describe, expect, test } from 'vitest'
import type { Table } from '../../contract/chat.ts'
import { nextSort, toTsv, viewRows } from './table-view.ts'

const table: Table = {
  title: 'Processes',
  columns: [
    { key: 'name', label: 'Name', type: 'text' },
    { key: 'rss', label: 'Memory', type: 'bytes' },
  ],
  rows: [
    { name: 'node 10', rss: 900 },
    { name: 'Éclair', rss: null },
    { name: 'node 9', rss: 10_000 },
  ],
  total_rows: 3,
}
const format = (row: Table['rows'][number], column: Table['columns'][number]) => String(row[column.key] ?? '')
const names = (rows: readonly Table['rows'][number][]) => rows.map((row) => row['name'])

describe('a view', () => {
  test('sorts numbers by value and text by natural order, empty cells last both ways', () => {
    expect(names(viewRows(table, '', { key: 'rss', direction: 'ascending' }, format))).toEqual([
      'node 10',
      'node 9',
      'Éclair',
    ])
    expect(names(viewRows(table, '', { key: 'rss', direction: 'descending' }, format))).toEqual([
      'node 9',
      'node 10',
      'Éclair',
    ])
    expect(names(viewRows(table, '', { key: 'name', direction: 'ascending' }, format))).toEqual([
      'Éclair',
      'node 9',
      'node 10',
    ])
  })
  test('filters without case and accents', () => {
    expect(names(viewRows(table, ' ECL', null, format))).toEqual(['Éclair'])
  })
  test('sort turns ascending, descending, off', () => {
    const first = nextSort(null, 'name')
    expect(first).toEqual({ key: 'name', direction: 'ascending' })
    expect(nextSort(nextSort(first, 'name'), 'name')).toBeNull()
  })
})

test('tab-separated values keep raw numbers, quote what would break the line and disarm formulas', () => {
  const rows = [
    { name: '=HYPERLINK("x")', rss: 1 },
    { name: 'a\tb', rss: null },
    { name: '-5', rss: 2 },
  ]
  expect(toTsv(table.columns, rows)).toBe('Name\tMemory\n"\'=HYPERLINK(""x"")"\t1\n"a\tb"\t\n-5\t2')
})

import { expect, test } from 'vitest'
import type { Table } from '../../contract/chat.ts'
import type { TableSource, WatchCondition } from '../../contract/watch-values.ts'
import { Sentence } from '../kernel/sentence.ts'
import { seenRows, type SeenRow } from './table-rows.ts'

const TABLE: Table = {
  title: 'Disks',
  columns: [
    { key: 'path', label: 'Mounted on', type: 'text' },
    { key: 'usage', label: 'Use', type: 'percent' },
    { key: 'type', label: 'Type', type: 'text' },
  ],
  rows: [
    { path: '/', usage: 40, type: 'ext4' },
    { path: '/srv', usage: 95, type: 'ext4' },
    { path: '/snap', usage: 100, type: 'squashfs' },
    { path: '/mnt', usage: null, type: 'nfs' },
  ],
  total_rows: 4,
}
const SOURCE: TableSource = {
  kind: 'table',
  module: 'system',
  tool: 'disks',
  arguments: {},
  machines: { of: 'local' },
  column: 'usage',
  key: 'path',
  match: 'none',
  where: [],
}
const ABOVE: WatchCondition = { is: 'above', bound: 90, back: null, for_s: 0 }
const seen = (source: Partial<TableSource>, condition: Partial<WatchCondition> = {}, table: Partial<Table> = {}) =>
  seenRows({ ...SOURCE, ...source }, { ...ABOVE, ...condition }, { ...TABLE, ...table })
const REAL: Partial<TableSource> = { match: 'all', where: [{ column: 'type', op: 'is_not', value: 'squashfs' }] }

test('each row is followed by its name, or the worst stands for all', () => {
  expect(seen({})).toEqual([
    { row: '/', value: 40 },
    { row: '/srv', value: 95 },
    { row: '/snap', value: 100 },
    { row: '/mnt', value: null },
  ])
  const ext4: Partial<TableSource> = { match: 'all', where: [{ column: 'type', op: 'is', value: 'ext4' }] }
  expect(seen({ key: null, ...ext4 })).toEqual([{ row: '', value: 95 }])
  expect(seen({ key: null, ...ext4 }, { is: 'below' })).toEqual([{ row: '', value: 40 }])
  // Nobody knows what the one without a value stands for.
  expect(seen({ key: null })).toEqual([{ row: '', value: null }])
  expect(seen({ key: 'type' }, { is: 'above' })).toContainEqual({ row: 'ext4', value: 95 })
})

test('rows count by all conditions, by any, or without one; their number can be the value', () => {
  expect(seen({ ...REAL, column: null })).toEqual([{ row: '', value: 3 }])
  const where = [
    { column: 'type', op: 'is', value: 'nfs' },
    { column: 'path', op: 'contains', value: 'SR' },
  ] as const
  expect(seen({ column: null, match: 'any', where: [...where] })).toEqual([{ row: '', value: 2 }])
  expect(seen({ column: null, match: 'all', where: [...where] })).toEqual([{ row: '', value: 0 }])
  expect(seen({ column: null })).toEqual([{ row: '', value: 4 }])
  expect(seen({ key: null, match: 'all', where: [{ column: 'type', op: 'is', value: 'zfs' }] })).toEqual([])
})

test('what cannot be told is said', () => {
  const said = (...of: Parameters<typeof seen>) => {
    const found = seen(...of)
    return found instanceof Sentence ? found.toString() : ''
  }
  expect(said({ column: 'gone' })).toContain('no column “gone”')
  expect(said({ match: 'all', where: [{ column: 'x', op: 'is', value: '' }] })).toContain('no column “x”')
  expect(said({}, {}, { total_rows: 5000 })).toContain('5000 rows')
  const many = Array.from({ length: 201 }, (_, at) => ({ path: `/${at}`, usage: 1, type: 'ext4' }))
  expect(said({}, {}, { rows: many, total_rows: 201 })).toContain('201 rows to follow')
  expect(seen({ column: null }, {}, { rows: many, total_rows: 201 })).toEqual([{ row: '', value: 201 }])
})

test('names are kept to one line, without what cannot be seen', () => {
  const rows = [{ path: 'a\nb\u202e'.padEnd(300, 'x'), usage: 1, type: '' }]
  const found = seen({}, {}, { rows, total_rows: 1 })
  const [first] = Array.isArray(found) ? (found as readonly SeenRow[]) : []
  expect(first!.row).toMatch(/^a b\\u\{202e\}x+$/)
  expect(first!.row.length).toBeLessThanOrEqual(200)
})

import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from './stage/wait.ts'
import { cells, csv, openTablesStage, refusal, source, type TablesStage } from './stage/documents/tables-stage.ts'

const ROWS = 120_000
const SIZE = 500

let stage: TablesStage
beforeAll(async () => {
  stage = await openTablesStage()
})
afterAll(() => stage[Symbol.asyncDispose]())

const rows = Array.from({ length: ROWS }, (_, i): [number, string, number] => [
  i,
  `name ${(i * 7919) % 1000}`,
  (i * 2_654_435_761) % 97,
])
const file = source('many.csv', csv([['id', 'name', 'n'], ...rows]))
const view = {
  sort: [
    { column: 'name', dir: 'desc' },
    { column: 'n', dir: 'asc' },
  ],
  columns: ['id'],
} as const

async function orders(own: TablesStage): Promise<string[]> {
  const found: string[] = []
  for (const form of await readdir(own.folder))
    for (const name of await readdir(join(own.folder, form)).catch(() => []))
      if (name.startsWith('order-')) found.push(name)
  return found
}
const ids = async (page: number, own = stage, more: object = {}): Promise<unknown[]> =>
  cells(await own.tables.page(file, { view: { ...view, ...more }, language: 'en', page, page_size: SIZE })).flat()

test('a sorted view of a large table is one order, from its first page to its last, and is sorted once', async () => {
  const compare = new Intl.Collator('en', { numeric: true }).compare
  const expected = rows.toSorted((a, b) => compare(b[1], a[1]) || a[2] - b[2] || a[0] - b[0]).map(([id]) => id)
  const pages = [1, 9, 10, 11, 12, 13, 120, 239, 240, 241]
  const found = await Promise.all(pages.map((page) => ids(page)))
  for (const [i, page] of pages.entries()) expect(found[i]).toEqual(expected.slice((page - 1) * SIZE, page * SIZE))
  expect(await orders(stage)).toHaveLength(1)
  // Whatever columns are shown.
  await stage.tables.page(file, { view: { sort: view.sort }, language: 'en', page: 200, page_size: SIZE })
  expect(await orders(stage)).toHaveLength(1)
  const { total_rows } = await stage.tables.page(file, { view, language: 'en', page: 200, page_size: SIZE })
  expect(total_rows).toBe(ROWS)
})

test('filters, directions and languages have orders of their own; a view that does not fit is refused as ever', async () => {
  const filters = [{ column: 'id', op: 'lt', value: 60_000 }] as const
  const all = rows.filter(([id]) => id < 60_000).toSorted((a, b) => a[2] - b[2] || a[0] - b[0])
  const some = { view: { filters, sort: [{ column: 'n', dir: 'asc' }] }, page: 100, page_size: SIZE } as const
  const page = await stage.tables.page(file, some)
  expect(page.rows.map(({ id }) => id)).toEqual(all.slice(99 * SIZE, 100 * SIZE).map(([id]) => id))
  expect(page.total_rows).toBe(60_000)
  const bad = { view: { sort: [{ column: 'nope', dir: 'asc' }] }, page: 100, page_size: SIZE } as const
  expect(await refusal(stage.tables.page(file, bad), 'bad_view')).toContain('There is no column "nope"')
})

test('the sorting ends when nobody waits for it', async () => {
  await using own = await openTablesStage({ idle_ms: 50 })
  await own.tables.describe(file)
  const stop = new AbortController()
  const asked = own.tables.page(file, { view, page: 200, page_size: SIZE }, stop.signal)
  const refused = refusal(asked, 'cancelled')
  await until(async () => (await readdir(own.folder)).some((name) => name.startsWith('work-')), {
    what: 'it is sorted',
  })
  stop.abort()
  await refused
  expect(await orders(own)).toEqual([])
  expect(await ids(200, own)).toHaveLength(SIZE)
})

import { monitorEventLoopDelay } from 'node:perf_hooks'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TableSource } from '../server/tables/shape/table-source.ts'
import { cells, openTablesStage, refusal, source, type TablesStage } from './stage/documents/tables-stage.ts'

let stage: TablesStage
beforeAll(async () => {
  stage = await openTablesStage()
})
afterAll(() => stage[Symbol.asyncDispose]())

const MIB = 1024 * 1024

/** A file too large to keep in memory: one piece again and again. */
function repeated(name: string, piece: string, size: number): TableSource {
  const bytes = Buffer.from(piece)
  return {
    owner: 'ann',
    key: `${name} ${size}`,
    name,
    size,
    path: null,
    async *read() {
      for (let written = 0; written < size; written += bytes.length) yield bytes
    },
  }
}

test(
  'one line as long as the largest file: refused, and the service goes on meanwhile',
  { timeout: 120_000 },
  async () => {
    const delay = monitorEventLoopDelay({ resolution: 5 })
    const file = repeated('long.csv', 'x'.repeat(MIB), 256 * MIB)
    const small = source('small.csv', 'a,b\n1,2\n')
    await stage.read(small)
    delay.enable()
    const refused = refusal(stage.read(file), 'too_large')
    expect(cells(await stage.read(small))).toEqual([[1, 2]])
    expect(await refused).toMatch(/longer than 16 million characters/)
    delay.disable()
    expect(delay.max / 1e6).toBeLessThan(1000)
  },
)

test.each<[string, string, RegExp]>([
  [
    '100,000 columns',
    `${Array.from({ length: 100_000 }, (_, i) => `c${i}`).join(',')}\n`,
    /has 100000 columns; at most 4000/,
  ],
  ['a row with 100,000 cells', `a,b\n1,2\n${'x,'.repeat(99_999)}x\n`, /has 100000 columns; at most 4000/],
])('%s', async (_what, text, sentence) => {
  expect(await refusal(stage.read(source('wide.csv', text)), 'too_large')).toMatch(sentence)
})

test('3,000 columns are fine', { timeout: 120_000 }, async () => {
  const labels = Array.from({ length: 3000 }, (_, i) => `c${i}`)
  const page = await stage.read(source('wide.csv', `${labels.join(',')}\n${labels.map((_, i) => i).join(',')}\n`))
  expect(page.columns).toHaveLength(3000)
  expect(page.rows[0]!['c2999']).toBe(2999)
})

test('NUL bytes in a cell stay what they are', async () => {
  const page = await stage.read(source('t.csv', `a,b\nx\0y,1\n${'plain,2\n'.repeat(50)}`))
  expect(cells(page)[0]).toEqual(['x\0y', 1])
  expect(page.total_rows).toBe(51)
})

test.each<[string, string, string | Uint8Array, 'unreadable' | 'unsupported']>([
  ['nothing at all', 't.csv', '', 'unreadable'],
  ['a ZIP that says CSV', 't.csv', Buffer.from('PK\x03\x04rest'), 'unsupported'],
  ['a picture', 't.png', Buffer.from('\x89PNG\r\n\x1a\n\0\0', 'latin1'), 'unsupported'],
  ['a PDF that says CSV', 't.csv', '%PDF-1.7 …', 'unsupported'],
  ['half a Parquet file', 't.parquet', 'PAR1 and then nothing', 'unreadable'],
  [
    'a Parquet file that lies about its size',
    't.parquet',
    Buffer.concat([Buffer.from('PAR1'), Buffer.alloc(64, 0xff), Buffer.from('PAR1')]),
    'unreadable',
  ],
  ['half an SQLite file', 't.db', 'SQLite format 3\0 and then nothing', 'unreadable'],
  ['JSON that is none', 't.json', '{"a": ', 'unreadable'],
  ['JSON of plain numbers', 't.json', 'nothing of it', 'unreadable'],
])('%s', async (_what, name, content, code) => {
  await refusal(stage.read(source(name, content)), code)
  expect(cells(await stage.read(source('good.csv', 'a,b\n1,2\n')))).toEqual([[1, 2]])
})

test('thousands of quotes that are never closed', { timeout: 120_000 }, async () => {
  const text = `a,b\n${'"x,"y\n'.repeat(20_000)}`
  const page = await stage.tables.page(source('t.csv', text), { page: 1, page_size: 1 })
  expect(page.total_rows).toBe(20_000)
  expect(cells(page)).toEqual([['"x', '"y']])
})

test('labels and names that are SQL stay names', async () => {
  const label = '"; DROP TABLE t; --'
  const file = source("x'); DROP TABLE t; --.csv", `"""; DROP TABLE t; --",b\n1,2\n`)
  const page = await stage.read(file, {
    filters: [{ column: label, op: 'eq', value: 1 }],
    sort: [{ column: label, dir: 'desc' }],
    search: "1'); DROP TABLE t; --",
  })
  expect(page.columns[0]!.key).toBe(label)
  expect(page.total_rows).toBe(0)
  expect(cells(await stage.read(file, { columns: [label] }))).toEqual([[1]])
})

test.each<[string, Parameters<TablesStage['read']>[1], RegExp]>([
  ['an unknown column', { columns: ['nam'] }, /no column "nam"\. Did you mean "name"\?/],
  ['a column like none', { sort: [{ column: 'zzz', dir: 'asc' }] }, /There are: "id", "name"\./],
  [
    'a word for a number',
    { filters: [{ column: 'id', op: 'gt', value: 'many' }] },
    /holds numbers, and "many" is not one/,
  ],
  ['one value for a list', { filters: [{ column: 'id', op: 'in', value: 1 }] }, /needs a list/],
  ['a list for one value', { filters: [{ column: 'id', op: 'eq', value: [1] }] }, /needs one value/],
  ['no value', { filters: [{ column: 'name', op: 'contains' }] }, /needs one value/],
])('a view with %s', async (_what, view, sentence) => {
  const file = source('t.csv', 'id,name\n1,a\n2,b\n')
  expect(await refusal(stage.read(file, view), 'bad_view')).toMatch(sentence)
})

test('a source that breaks off leaves nothing behind', async () => {
  const broken: TableSource = {
    ...source('t.csv', 'a,b\n1,2\n'),
    key: 'broken',
    async *read() {
      yield Buffer.from('a,b\n')
      throw new Error('the store is gone')
    },
  }
  expect(await refusal(stage.read(broken), 'failed')).toBe('The content of "t.csv" cannot be read from the storage.')
  expect(cells(await stage.read({ ...source('t.csv', 'a,b\n1,2\n'), key: 'broken' }))).toEqual([[1, 2]])
})

test('who stops waiting stops the reading, unless somebody else waits', { timeout: 120_000 }, async () => {
  const file = repeated('many.csv', 'some,cells,in,a,row\n'.repeat(1000), 64 * MIB)
  const [first, second] = [new AbortController(), new AbortController()]
  const both = [first, second].map(({ signal }) => stage.tables.describe(file, signal))
  const refused = refusal(both[0]!, 'cancelled')
  first.abort()
  await refused
  expect((await both[1]!).sheets[0]!.rows).toBeGreaterThan(3_000_000)
})

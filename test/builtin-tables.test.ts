import { contract } from '../contract/index.ts'
import type { ChatResult } from '../contract/chat.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { lastAnswer, openStage, partsOf, say, type Member, type Stage } from './stage/chat-stage.ts'
import { databases } from './stage/servers/postgres.ts'

/** The tables module through the front door: a message in direct mode, a table in the answer. */
const [database] = databases
const ORDERS =
  'id,customer,amount,day\n1,Anna,10.10,2026-01-05\n2,Boris,20.20,2026-01-06\n3,Anna,0.30,2026-02-01\n4,,5,2026-02-02\n'
const CUSTOMERS = 'name;city;code\nAnna;Bern;007\nBoris;Москва;012\n'

let stage: Stage
let anna: Member
let boris: Member
beforeAll(async () => {
  stage = await openStage(database!, { engine: false })
  anna = await stage.member('anna')
  boris = await stage.member('boris')
  await upload(anna, 'orders.csv', ORDERS)
  await upload(anna, 'customers.csv', CUSTOMERS)
})
afterAll(() => stage[Symbol.asyncDispose]())

async function upload({ client }: Member, name: string, content: string): Promise<string> {
  const { file } = await client.call(contract.files.upload, { body: content, headers: { 'x-file-name': name } })
  return file.file_id
}

interface Said {
  readonly result: ChatResult
  readonly status: string
  readonly text: string
  /** Of each table in the answer: its cells, row by row. */
  readonly tables: unknown[][][]
  readonly columns: string[][]
}

async function use(member: Member, tool: string, input: Record<string, unknown>): Promise<Said> {
  const result = await say(member.client, `/tables.${tool} ${JSON.stringify(input)}`)
  const answer = await lastAnswer(member.client, result.conversation_id)
  const shown = partsOf(answer, 'table').map((part) => part.table)
  const [call] = result.tool_calls_executed
  return {
    result,
    status: call?.status ?? 'none',
    text: call?.result_preview ?? result.answer,
    tables: shown.map((table) => table.rows.map((row) => table.columns.map(({ key }) => row[key]))),
    columns: shown.map((table) => table.columns.map(({ key, type }) => `${key}: ${type}`)),
  }
}

test('describe tells columns, figures and the first rows', async () => {
  const said = await use(anna, 'describe', { file: 'orders.csv', sample: 1 })
  expect(said.status).toBe('done')
  expect(said.text).toContain('"orders.csv" (CSV, UTF-8): 4 rows, 4 columns.')
  expect(said.tables).toEqual([
    [
      ['id', 'integer', 4, 4, '1', '4'],
      ['customer', 'text', 3, 2, 'Anna', 'Boris'],
      ['amount', 'number', 4, 4, '0.30', '20.20'],
      ['day', 'date', 4, 4, '2026-01-05', '2026-02-02'],
    ],
    [[1, 'Anna', 10.1, '2026-01-05']],
  ])
})

test('filter gives typed rows and counts all of them', async () => {
  const said = await use(anna, 'filter', {
    file: 'orders.csv',
    filters: [{ column: 'AMOUNT', op: 'gte', value: 5 }],
    sort: [{ column: 'amount', dir: 'desc' }],
    columns: ['id', 'amount'],
    limit: 2,
  })
  expect(said.columns).toEqual([['id: integer', 'amount: number']])
  expect(said.tables).toEqual([
    [
      [2, 20.2],
      [1, 10.1],
    ],
  ])
  expect(said.text).toContain('3 rows of 4 in "orders.csv". Page 1 of 2.')
})

test('figures by group come as a chart, and others where a chart is asked for', async () => {
  await upload(anna, 'sales.csv', 'region,month,sum\nNorth,2026-01-01,3\nSouth,2026-02-01,4\nWest,2026-03-01,5.5\n')
  const charts = async (tool: string, input: Record<string, unknown>) => {
    const { conversation_id } = await say(anna.client, `/tables.${tool} ${JSON.stringify(input)}`)
    const answer = await lastAnswer(anna.client, conversation_id)
    return partsOf(answer, 'table').map(({ table }) => table.chart)
  }
  const by = { file: 'sales.csv', group_by: ['region'], measures: [{ function: 'sum', column: 'sum' }] }
  const bars = { kind: 'bar', x: 'region', y: ['sum sum'] }
  expect(await charts('aggregate', by)).toEqual([bars])
  expect(await charts('aggregate', { ...by, chart: 'none' })).toEqual([undefined])
  expect(await charts('aggregate', { ...by, chart: 'pie' })).toEqual([{ ...bars, kind: 'pie' }])
  expect(await charts('aggregate', { ...by, chart: 'scatter' })).toEqual([bars])
  // Two of three regions would be a false picture; two bars are no picture.
  expect(await charts('aggregate', { ...by, limit: 2 })).toEqual([undefined])
  expect(await charts('aggregate', { file: 'sales.csv' })).toEqual([undefined])
  const sql = { sql: 'SELECT month, sum FROM t ORDER BY 1', files: { t: 'sales.csv' } }
  expect(await charts('query', sql)).toEqual([undefined])
  expect(await charts('query', { ...sql, chart: 'line' })).toEqual([{ kind: 'line', x: 'month', y: ['sum'] }])
  expect(await charts('query', { ...sql, sql: 'SELECT region FROM t', chart: 'line' })).toEqual([undefined])
})

test('aggregate adds up exactly, by group', async () => {
  const said = await use(anna, 'aggregate', {
    file: 'orders.csv',
    group_by: ['customer'],
    measures: [
      { function: 'count' },
      { function: 'sum', column: 'amount' },
      { function: 'count_distinct', column: 'day' },
    ],
    sort: { by: 2, dir: 'desc' },
  })
  expect(said.tables).toEqual([
    [
      ['Boris', 1, 20.2, 1],
      ['Anna', 2, 10.4, 2],
      [null, 1, 5, 1],
    ],
  ])
  expect(said.columns[0]).toEqual(['customer: text', 'Rows: integer', 'sum amount: number', 'different day: integer'])
  const all = await use(anna, 'aggregate', {
    file: 'orders.csv',
    measures: [{ function: 'median', column: 'amount' }],
    filters: [{ column: 'day', op: 'lt', value: '2026-02-01' }],
  })
  expect(all.tables).toEqual([[[15.15]]])
})

test('join puts what belongs together side by side', async () => {
  const on = [{ left: 'customer', right: 'name' }]
  const inner = await use(anna, 'join', { left: 'orders.csv', right: 'customers.csv', on })
  expect(inner.columns[0]).toEqual([
    'id: integer',
    'customer: text',
    'amount: number',
    'day: date',
    'city: text',
    'code: text',
  ])
  expect(inner.tables[0]!.map((row) => [row[0], row[4], row[5]])).toEqual(
    expect.arrayContaining([
      [1, 'Bern', '007'],
      [2, 'Москва', '012'],
      [3, 'Bern', '007'],
    ]),
  )
  const left = await use(anna, 'join', { left: 'orders.csv', right: 'customers.csv', on, kind: 'left' })
  expect(left.tables[0]).toHaveLength(4)
  expect(left.tables[0]!.at(-1)).toEqual([4, null, 5, '2026-02-02', null, null])
  const mixed = await use(anna, 'join', {
    left: 'orders.csv',
    right: 'customers.csv',
    on: [{ left: 'id', right: 'code' }],
  })
  expect(mixed.text).toContain('were compared as text')
  expect(mixed.tables[0] ?? []).toEqual([])
})

test('query asks several files at once, and can only read', async () => {
  const files = { o: 'orders.csv', c: 'customers.csv' }
  const sql =
    'SELECT c.city, sum(o.amount) AS total FROM o JOIN c ON c.name = o.customer WHERE o.id < ? GROUP BY ALL ORDER BY total'
  expect((await use(anna, 'query', { sql, files, params: [3] })).tables).toEqual([
    [
      ['Bern', 10.1],
      ['Москва', 20.2],
    ],
  ])
  for (const attempt of [
    "SELECT * FROM read_csv('/etc/passwd')",
    "COPY o TO '/tmp/stolen'",
    'SELECT 1; SELECT 2',
    'SELECT * FROM duckdb_databases()',
  ]) {
    const refused = await use(anna, 'query', { sql: attempt, files })
    expect(refused.status).toBe('failed')
    expect(JSON.stringify(refused.result)).not.toMatch(/root:|tables-cache|data\.duckdb/)
  }
})

test('mistakes get a sentence that helps', async () => {
  const wrong = async (tool: string, input: Record<string, unknown>) => {
    const said = await use(anna, tool, input)
    expect(said.status).toBe('failed')
    return said.text
  }
  expect(await wrong('filter', { file: 'orders.csv', columns: ['amont'] })).toContain('Did you mean "amount"?')
  expect(
    await wrong('aggregate', { file: 'orders.csv', measures: [{ function: 'sum', column: 'customer' }] }),
  ).toContain('"sum" needs numbers')
  expect(await wrong('aggregate', { file: 'orders.csv', measures: [{ function: 'sum' }] })).toContain('needs a column')
  expect(await wrong('describe', { file: 'nothing.csv' })).toContain('nothing.csv')
  await upload(anna, 'picture.png', '\x89PNG')
  expect(await wrong('describe', { file: 'picture.png' })).toContain('not a table that can be read')
})

test("somebody else's files are not there, by name and by id", async () => {
  const file_id = await upload(anna, 'private.csv', 'a,b\n1,secret-cell\n')
  await use(anna, 'describe', { file: file_id })
  for (const file of ['private.csv', file_id]) {
    const said = await use(boris, 'describe', { file })
    expect(said.status).toBe('failed')
    expect(JSON.stringify(said.result)).not.toContain('secret-cell')
  }
  const query = await use(boris, 'query', { sql: 'SELECT * FROM t', files: { t: file_id } })
  expect(query.status).toBe('failed')
})

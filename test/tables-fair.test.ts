import { afterEach, expect, test } from 'vitest'
import { refusing } from '../server/tables/table-refusal.ts'
import { cells, openTablesStage, refusal, source } from './stage/documents/tables-stage.ts'
import { until } from './stage/wait.ts'

let closing = new AsyncDisposableStack()
afterEach(async () => {
  await closing.disposeAsync()
  closing = new AsyncDisposableStack()
})

const NUMBERS = `n\n${Array.from({ length: 3000 }, (_, i) => `${i}\n`).join('')}`
/** 27 thousand million rows: whoever waits for it waits for minutes. */
const HEAVY = 'SELECT count(*) FROM t a, t b, t c WHERE (a.n * b.n + c.n) % 7 = 3'

/** Ann asks four questions that take minutes; what becomes of them does not matter. */
async function busyStage(limits: Parameters<typeof openTablesStage>[0] = {}) {
  const stage = closing.use(await openTablesStage(limits))
  const stop = new AbortController()
  closing.defer(() => stop.abort())
  const hers = source('numbers.csv', NUMBERS)
  await stage.read(hers)
  let ended = 0
  for (let i = 0; i < 4; i++)
    stage.tables
      .query([{ name: 't', source: hers }], HEAVY, [], 10, stop.signal)
      .catch(() => undefined)
      .finally(() => ended++)
  await until(() => stage.tables.waiting() === 3)
  return { ...stage, hers, ended: () => ended }
}

test("four heavy questions of one person hold up nobody else's small table, page or question", async () => {
  const { read, ask, tables, ended } = await busyStage()
  const his = source('small.csv', 'a,b\n1,x\n', 'bob')
  expect(cells(await read(his))).toEqual([[1, 'x']])
  expect(cells(await read(his, { sort: [{ column: 'a', dir: 'desc' }] }))).toEqual([[1, 'x']])
  expect(await ask('SELECT count(*) FROM t', { t: his })).toEqual([[1]])
  expect((await tables.preview(source('other.csv', 'c\n2\n', 'bob'), { rows: 5 })).rows).toEqual([{ c: 2 }])
  expect(ended()).toBe(0)
})

test('her own small tables pass her heavy questions as well', async () => {
  const { read, hers, ended } = await busyStage()
  expect((await read(hers)).total_rows).toBe(3000)
  expect(cells(await read(source('small.csv', 'a,b\n1,x\n')))).toEqual([[1, 'x']])
  expect(ended()).toBe(0)
})

test('who waits too long is told to come again', async () => {
  // Long enough for her file to be read on a busy machine, which is waited for no longer than a place.
  const { tables, hers } = await busyStage({ wait_ms: 3000 })
  const question = () => tables.query([{ name: 't', source: hers }], HEAVY, [], 10)
  await Promise.all([
    expect(refusal(question(), 'busy')).resolves.toMatch(/Try again/),
    expect(refusing(question)).rejects.toMatchObject({ code: 'tables_busy', retryAfter: 5 }),
  ])
})

import { afterEach, describe, expect, test } from 'vitest'
import type { Caller, HandlerInput } from '../contract/route.ts'
import type { files as contract } from '../contract/files.ts'
import { exportTable } from '../server/tables/export-table.ts'
import type { Tables } from '../server/tables/tables.ts'
import { readSheets } from './stage/documents/exported-sheets.ts'
import { ANNA, collect, pieces, startFiles } from './stage/documents/files-fixture.ts'
import { databases } from './stage/servers/postgres.ts'
import { openTablesStage, source } from './stage/documents/tables-stage.ts'
import { until } from './stage/wait.ts'

let closing = new AsyncDisposableStack()
afterEach(async () => {
  await closing.disposeAsync()
  closing = new AsyncDisposableStack()
})

const LARGE = `a,b\n${`1,${'some long text '.repeat(40)}\n`.repeat(2000)}`

describe('a process that waits for the first look', () => {
  test('it is started once, does the work that comes, and ends when none comes', async () => {
    const { tables } = closing.use(await openTablesStage({ idle_ms: 400 }))
    expect(tables.processes()).toEqual([])
    tables.warm()
    tables.warm()
    const [waiting, ...more] = tables.processes()
    expect(waiting).toBeGreaterThan(0)
    expect(more).toEqual([])
    const file = source('t.csv', 'a\n1\n')
    expect((await tables.preview(file, { rows: 5 })).rows).toEqual([{ a: 1 }])
    expect(tables.processes()).toEqual([waiting])
    await until(() => tables.processes().length === 0)
    tables.warm()
    expect(tables.processes()).toHaveLength(1)
    await until(() => tables.processes().length === 0)
  })

  test('a service that stops starts none', async () => {
    const stage = await openTablesStage()
    stage.tables.warm()
    await stage[Symbol.asyncDispose]()
    stage.tables.warm()
    expect(stage.tables.processes()).toEqual([])
  })

  test.each(databases)('a table that is uploaded, listed or looked at asks for it, on $name', async (database) => {
    let seen = 0
    const { handlers, put } = await startFiles(closing, database, { onTableSeen: () => void seen++ })
    const caller = { user_id: ANNA } as Caller
    const rest = { headers: {}, caller, asks: [], signal: new AbortController().signal }
    const client = { content_type: 'application/octet-stream' } as HandlerInput<typeof contract.upload>['client']
    const list = () => handlers.list({ ...rest, client, params: {}, query: { limit: 50 }, body: undefined } as never)
    const look = (file_id: string) =>
      handlers.file({ ...rest, client, params: { file_id }, query: {}, body: undefined })
    const text = await put('notes.md')
    await list()
    await look(text.file_id)
    expect(seen).toBe(0)
    const upload: HandlerInput<typeof contract.upload> = {
      ...rest,
      client,
      params: {},
      query: {},
      headers: { 'x-file-name': 'rows.CSV' },
      body: pieces('a,b\n1,2\n') as never,
    }
    const { file } = (await handlers.upload(upload)) as { file: { file_id: string } }
    expect(seen).toBe(1)
    await list()
    expect(seen).toBe(2)
    await look(file.file_id)
    expect(seen).toBe(3)
  })
})

describe('an export of a large file that was never read', () => {
  const how = { title: null, presentation: {}, by: 'Ann', at: new Date('2026-01-02T03:04:05Z') }

  test('it begins before the file has been read, and is the same to the byte', async () => {
    const { tables } = closing.use(await openTablesStage())
    const file = source('long.csv', LARGE)
    expect(file.size).toBeGreaterThan(1024 * 1024)
    const gate = Promise.withResolvers<void>()
    // Whole rows come only when the gate opens; everything else is the engine itself.
    const slow: Tables = {
      ...tables,
      export: async (...args) => {
        await gate.promise
        return tables.export(...args)
      },
    }
    const { name, bytes } = await exportTable(slow, { source: file }, how, new AbortController().signal)
    expect(name).toBe('long.xlsx')
    const iterator = bytes[Symbol.asyncIterator]()
    const first = (await iterator.next()).value!
    expect(Buffer.from(first.subarray(0, 2)).toString()).toBe('PK')
    gate.resolve()
    const rest = await collect({ [Symbol.asyncIterator]: () => iterator })
    const early = Buffer.concat([first, rest])
    const again = await exportTable(tables, { source: file }, how, new AbortController().signal)
    expect(early.equals(await collect(again.bytes))).toBe(true)
    const [data] = readSheets(early)
    expect(data!.rows).toHaveLength(2001)
  })

  test('what is wrong with it is still said before the first byte', async () => {
    const { tables } = closing.use(await openTablesStage())
    const file = source('long.csv', LARGE)
    const stop = new AbortController()
    for (const view of [{ columns: ['c'] }, { sort: [{ column: 'c', dir: 'asc' as const }] }])
      await expect(exportTable(tables, { source: file, view }, how, stop.signal)).rejects.toMatchObject({
        code: 'bad_view',
      })
    await expect(exportTable(tables, { source: file, sheet: 'No' }, how, stop.signal)).rejects.toMatchObject({
      code: 'no_sheet',
    })
  })
})

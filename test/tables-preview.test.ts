import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTablesStage, refusal, source, type TablesStage } from './stage/documents/tables-stage.ts'

let stage: TablesStage
beforeAll(async () => {
  stage = await openTablesStage()
})
afterAll(() => stage[Symbol.asyncDispose]())

describe('a first look, before anything is cached', () => {
  test.each<[string, string, string]>([
    ['CSV', 't.csv', `a,b\n${'1,Ё\n'.repeat(100)}`],
    ['ragged CSV', 't.csv', `a,b\n${'1,"x"y,3\n'.repeat(100)}`],
    ['NDJSON', 't.ndjson', '{"a":1,"b":"x"}\n'.repeat(100)],
    ['broken NDJSON', 't.ndjson', `nothing\n${'{"a":1,"b":"x"}\n'.repeat(100)}`],
  ])('%s: the same rows as later, and whether these are all', async (_what, name, text) => {
    const file = source(name, text)
    const some = await stage.tables.preview(file, { rows: 10 })
    const all = await stage.tables.preview(file, { rows: 100 })
    expect(some.rows).toHaveLength(10)
    expect(some.total_rows).toBeNull()
    expect(all.total_rows).toBe(100)
    const page = await stage.read(file)
    expect(all.rows).toEqual(page.rows)
    expect(some.rows).toEqual(page.rows.slice(0, 10))
    expect(all.columns).toEqual(page.columns)
    expect(await stage.tables.preview(file, { rows: 10 })).toMatchObject({ rows: some.rows, total_rows: 100 })
  })

  test('a sheet by its name', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'reeve-sqlite-'))
    try {
      const path = join(folder, 't.db')
      const database = new DatabaseSync(path)
      database.exec(`CREATE TABLE one (a); CREATE TABLE two (b); INSERT INTO two VALUES (1), (2), (3)`)
      database.close()
      const file = source('t.db', await readFile(path))
      const look = await stage.tables.preview(file, { sheet: 'TWO', rows: 2 })
      expect(look).toMatchObject({ sheets: ['one', 'two'], sheet: 'two', rows: [{ b: 1 }, { b: 2 }], total_rows: null })
      expect(await refusal(stage.tables.preview(file, { sheet: 'three', rows: 2 }), 'no_sheet')).toContain(
        '"one", "two"',
      )
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { exportTable } from '../server/tables/export-table.ts'
import { openTablesStage, type TablesStage } from './stage/documents/tables-stage.ts'
import { collect, readWithSheetJs } from './stage/documents/workbook-readers.ts'

let stage: TablesStage
beforeAll(async () => {
  stage = await openTablesStage()
})
afterAll(() => stage[Symbol.asyncDispose]())

const options = (more: { title: string | null }) => ({ presentation: {}, by: 'Ann', at: new Date(0), ...more })

test('names of files and sheets are made of any title', async () => {
  const rows = { columns: [{ key: 'a' }], rows: [] }
  const named = async (title: string | null): Promise<[string, string]> => {
    const { name, bytes } = await exportTable(stage.tables, rows, options({ title }), new AbortController().signal)
    return [name, Object.keys(readWithSheetJs(await collect(bytes)))[0]!]
  }
  expect(await named('Q1/Q2: [all] *?\\')).toEqual(['Q1-Q2- [all] -.xlsx', 'Q1 Q2 all'])
  expect(await named("'quoted'")).toEqual(["'quoted'.xlsx", 'quoted'])
  expect(await named('provenance')).toEqual(['provenance.xlsx', 'provenance 2'])
  expect(await named('History')).toEqual(['History.xlsx', 'History 1'])
  expect(await named(`${'a'.repeat(30)}🚀`)).toEqual([`${'a'.repeat(30)}🚀.xlsx`, 'a'.repeat(30)])
  expect(await named('..\n\0')).toEqual(['Table.xlsx', '..'])
  expect(await named('\u202e  ')).toEqual(['Table.xlsx', 'Table'])
  expect(await named(null)).toEqual(['Table.xlsx', 'Table'])
  expect(await named("Bob's & <Ann>")).toEqual(["Bob's & -Ann-.xlsx", "Bob's & <Ann>"])
})

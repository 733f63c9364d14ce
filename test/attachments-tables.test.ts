import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readTable } from '../server/files/parse/table/read-table.ts'
import { tableOutline } from '../server/files/parse/table/table-outline.ts'
import type { TablePort } from '../server/files/parse/table/table-port.ts'
import { openTablesStage, source, type TablesStage } from './stage/documents/tables-stage.ts'

let stage: TablesStage
beforeAll(async () => {
  stage = await openTablesStage()
})
afterAll(() => stage[Symbol.asyncDispose]())

const file = (name: string, content: string | Uint8Array) => ({ ...source(name, content), file_id: 'fil_1' })
const LONG = `id,name,paid\n${Array.from({ length: 5000 }, (_, i) => `${i},"Name ${i}${'x'.repeat(300)}",2026-01-01`).join('\n')}\n`

describe('a table that is attached', () => {
  test('is given as a whole when it is small', async () => {
    expect(await tableOutline(stage.tables, file('a.csv', 'code,when\n007,2026-01-02\n,2026-01-03\n'))).toEqual({
      parser: 'table',
      status: 'parsed',
      text: 'Sheet "Sheet1": 2 rows, 2 columns\nColumns: "code" text, "when" date\nValues, tab-separated, all rows:\ncode\twhen\n007\t2026-01-02\n\t2026-01-03',
      sheets: 1,
      lasting: true,
    })
  })

  test('is columns, rows and a sample when it is large, with the way to the rest', async () => {
    const outline = await tableOutline(stage.tables, file('long.csv', LONG))
    expect(outline).toMatchObject({ parser: 'table', status: 'partial', sheets: 1, lasting: true })
    expect(outline.text).toMatch(
      /^Only a sample is shown\. The tools of the module "tables" read all of it: file fil_1\./,
    )
    expect(outline.text).toContain('5000 rows, 3 columns\nColumns: "id" integer, "name" text, "paid" date')
    const rows = outline.text!.split('\n').filter((line) => /^\d+\t/.test(line))
    expect(rows).toHaveLength(20)
    expect(Math.max(...rows.map((row) => row.length))).toBeLessThan(230)
  })

  test('does not make a message wait until its rows are counted', async () => {
    const slow: TablePort = { ...stage.tables, describe: () => new Promise(() => undefined) }
    const outline = await tableOutline(slow, file('slow.csv', LONG.replace('paid', 'due')), 50)
    expect(outline.text).toContain('rows not counted yet')
    expect(outline).toMatchObject({ status: 'partial', lasting: false })
  })

  test('that cannot be read says why', async () => {
    const { status, text, detail } = await readTable(stage.tables, file('a.parquet', 'PAR1 but no more'))
    expect([status, text, String(detail)]).toEqual(['failed', null, expect.stringMatching(/\.$/)])
    const fault: TablePort = { ...stage.tables, describe: () => Promise.reject(new TypeError('ours')) }
    await expect(readTable(fault, file('a.csv', 'a\n1'))).rejects.toThrow('ours')
  })

  test('with hundreds of columns and tabs in its cells stays short and in order', async () => {
    const wide = `${Array.from({ length: 300 }, (_, i) => `column ${i}`).join(',')}\n"a\tb\nc",2\n`
    const { text, status } = await tableOutline(stage.tables, file('wide.csv', wide))
    expect(status).toBe('partial')
    expect(text!.length).toBeLessThan(20_000)
    expect(text).toContain('a b c\t2')
    expect(text).toContain('and 100 more')
  })
})

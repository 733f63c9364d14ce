import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import type { TableReading } from '../contract/table-reading.ts'
import type { TableResult } from '../contract/tables.ts'
import { openStage, type Stage } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { legacyBytes } from './stage/documents/legacy-bytes.ts'
import { databases } from './stage/servers/postgres.ts'
import { textRows, xlsxBytes } from './stage/documents/spreadsheet-bytes.ts'

const RUSSIAN = 'Отчёт\n\nтовар;цена;дата\n007;12,5;01.02.2024\n008;нет;02.02.2024\n'

describe.each(databases)('how a table is read can be chosen on $name', (database) => {
  let stage: Stage
  let ann: TestClient
  let ben: TestClient
  beforeAll(async () => {
    stage = await openStage(database, { engine: false })
    ann = await stage.as('ann')
    ben = await stage.as('ben')
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const upload = async (name: string, content: string | Uint8Array): Promise<string> => {
    const headers = { 'x-file-name': name }
    return (await ann.call(contract.files.upload, { headers, body: Buffer.from(content) })).file.file_id
  }
  const read = (file_id: string): Promise<TableResult> => ann.call(contract.tables.table, { params: { file_id } })
  const reading = (file_id: string, sheet = '') =>
    ann.call(contract.tables.reading, { params: { file_id }, query: { sheet } })
  const choose = (file_id: string, body: TableReading, client = ann) =>
    client.fetch(`/api/files/${file_id}/table/reading`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const shown = ({ columns, rows }: TableResult) => ({
    columns: columns.map(({ key, type }) => `${key}: ${type}`),
    rows: rows.map((row) => Object.values(row)),
  })

  test('its notices are in the language of the user who reads it', async () => {
    const file_id = await upload('broken.ndjson', '{"a":1}\nnot json\n')
    const speak = (language: 'de' | 'en') => ann.call(contract.accounts.updatePreferences, { body: { language } })
    await speak('de')
    expect((await read(file_id)).notices).toEqual([
      'Zeilen, die keine JSON-Objekte sind und ausgelassen wurden: 1. Die ersten: 2.',
    ])
    await speak('en')
  })

  test('encoding, delimiter, header row and types; kept, shown, and taken back', async () => {
    const file_id = await upload('a.csv', legacyBytes('windows-1251', RUSSIAN))
    expect(await reading(file_id)).toMatchObject({
      chosen: {},
      format: 'csv',
      encoding: 'windows-1251',
      encoding_guessed: true,
      delimiter: ';',
      sheet: 'Sheet1',
    })
    const chosen: TableReading = {
      encoding: 'windows-1251',
      delimiter: ';',
      sheets: { Sheet1: { header_row: 2, types: { цена: 'number', товар: 'integer', дата: 'text' } } },
    }
    expect((await choose(file_id, chosen)).status).toBe(200)
    const page = await read(file_id)
    expect(shown(page)).toEqual({
      columns: ['товар: integer', 'цена: number', 'дата: text'],
      rows: [
        [7, 12.5, '01.02.2024'],
        [8, 'нет', '02.02.2024'],
      ],
    })
    expect(page.notices.join()).toMatch(/"цена" that do not fit the chosen type.*: 1\./)
    expect(page.notices.join()).not.toContain('guess')
    expect(await reading(file_id)).toMatchObject({ chosen, encoding_guessed: false, header_row: 2 })
    // As it really is not.
    await choose(file_id, { encoding: 'koi8-r', delimiter: ',', sheets: { Sheet1: { header_row: 0 } } })
    expect(shown(await read(file_id)).columns).toEqual(['Column 1: text', 'Column 2: text'])
    await choose(file_id, {})
    expect((await reading(file_id)).chosen).toEqual({})
    expect(shown(await read(file_id)).rows).toContainEqual(['008', 'нет', '02.02.2024'])
  })

  test('each sheet of a workbook has its own; the same bytes under another id keep theirs', async () => {
    const rows = [
      ['made by hand', 'and by heart'],
      ['a', 'b'],
      ['1', 'true'],
    ]
    const bytes = xlsxBytes({
      sheets: [
        { name: 'One', data: textRows(rows) },
        { name: 'Two', data: textRows(rows) },
      ],
    })
    const [first, second] = [await upload('one.xlsx', bytes), await upload('two.xlsx', bytes)]
    const sheets = { One: { header_row: 2, types: { a: 'integer', b: 'boolean' } } } as const
    expect((await choose(first, { sheets })).status).toBe(200)
    expect(shown(await read(first))).toEqual({ columns: ['a: integer', 'b: boolean'], rows: [[1, true]] })
    expect((await reading(first, 'Two')).columns.map(({ key }) => key)).toEqual(['made by hand', 'and by heart'])
    expect((await reading(second)).header_row).toBe(1)
  })

  test('what does not fit is refused, and nothing changes', async () => {
    const file_id = await upload('b.csv', 'a,b\n1,2\n')
    const refused = async (body: unknown, client = ann): Promise<unknown> => {
      const response = await choose(file_id, body as TableReading, client)
      return [response.status, ((await response.json()) as { code?: string }).code]
    }
    expect(await refused({ sheets: { Sheet1: { header_row: 9 } } })).toEqual([422, 'unreadable_file'])
    expect(await refused({ encoding: 'ebcdic' })).toEqual([422, 'invalid_request'])
    expect(await refused({ delimiter: '"' })).toEqual([422, 'invalid_request'])
    expect(await refused({ sheets: { Other: { header_row: 1 } } })).toEqual([422, 'invalid_request'])
    expect(await refused({}, ben)).toEqual([404, 'not_found'])
    expect((await reading(file_id)).chosen).toEqual({})
  })
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import { TABLE_EXPORT_LIMIT, type TableExport } from '../contract/tables.ts'
import { openStage, type Stage } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { databases } from './stage/servers/postgres.ts'
import { readSheets, type ReadSheet } from './stage/documents/exported-sheets.ts'

const PATH = '/api/chat/tables/export'
const CSV = 'id,name,code\n3,Zoë,007\n1,=1+1,012\n2,"a ""b""",12345678901234567890\n'

describe.each(databases)('exports of tables on $name', (database) => {
  let stage: Stage
  let ann: TestClient
  let file_id: string
  beforeAll(async () => {
    stage = await openStage(database, { engine: false })
    ann = await stage.as('ann')
    file_id = await upload(ann, 'people.csv', CSV)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  async function exported(body: TableExport, client = ann): Promise<ReadSheet[]> {
    const response = await client.call(contract.tables.export, { body })
    return readSheets(Buffer.from(await response.arrayBuffer()))
  }

  test('a workbook comes as an attachment with its name, and is not to be kept', async () => {
    const response = await ann.call(contract.tables.export, { body: { file_id, title: 'Люди: "все" / 2026' } })
    const { headers } = response
    expect(response.status).toBe(200)
    expect(headers.get('content-type')).toBe('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet')
    expect(headers.get('cache-control')).toBe('private, no-store')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    const disposition = headers.get('content-disposition')!
    expect(disposition).toMatch(/^attachment; filename="[ -~]+\.xlsx"; filename\*=UTF-8''[A-Za-z0-9%._~-]+\.xlsx$/)
    const name = decodeURIComponent(disposition.split("UTF-8''")[1]!)
    expect(name).toMatch(/^Люди/)
    expect(name).not.toMatch(/["/\\]/)
    expect(
      Buffer.from(await response.arrayBuffer())
        .subarray(0, 2)
        .toString(),
    ).toBe('PK')
  })

  test('a stored file: every row, cells as they are, text that looks like a formula stays text', async () => {
    const [data, provenance] = await exported({ file_id })
    expect(data!.rows).toEqual([
      ['id', 'name', 'code'],
      [3, 'Zoë', '007'],
      [1, '=1+1', '012'],
      [2, 'a "b"', '12345678901234567890'],
    ])
    expect(data!.formulas).toBe(0)
    expect(JSON.stringify(provenance!.rows)).toContain('people.csv')
    expect(provenance!.rows).toContainEqual(['Source id', file_id])
    expect(JSON.stringify(provenance!.rows)).toContain('ann')
  })

  test.each<[string, Partial<TableExport>]>([
    [
      'as an object',
      { view: { filters: [{ column: 'id', op: 'lte', value: 2 }], sort: [{ column: 'id', dir: 'asc' }] } },
    ],
    [
      'as JSON text',
      { view: '{"filters":[{"column":"id","op":"lte","value":2}],"sort":[{"column":"id","dir":"asc"}]}' },
    ],
  ])('the view of a stored file, %s, with chosen columns and their labels', async (_how, more) => {
    const columns = ['name', { key: 'id', label: 'Number' }]
    const presentation = { name: { label: 'Who', width: 40, format: null, hidden: false } }
    const [data] = await exported({ file_id, ...more, columns, ai_column_presentation: presentation })
    expect(data!.rows).toEqual([
      ['Who', 'Number'],
      ['=1+1', 1],
      ['a "b"', 2],
    ])
  })

  test('rows that come with the request', async () => {
    const columns = [
      { key: 'host', label: 'Host', type: 'text' as const },
      { key: 'load', label: 'Load', type: 'number' as const },
      { key: 'up', label: 'Up', type: 'boolean' as const },
    ]
    const rows: TableExport['rows'] = [
      { host: '@cmd', load: 1.5, up: true },
      { host: '', load: null, up: false, more: 'not shown' },
    ]
    const [data] = await exported({ columns, rows, title: 'Hosts', file_id: '' })
    expect(data!.name).toBe('Hosts')
    expect(data!.rows[0]).toEqual(['Host', 'Load', 'Up'])
    expect(data!.rows[1]).toEqual(['@cmd', 1.5, true])
    expect(data!.rows[2]!.at(2)).toBe(false)
    const [derived] = await exported({ rows: [{ a: 1 }, { b: 'x' }] })
    expect(derived!.rows[0]).toEqual(['a', 'b'])
  })

  test.each([
    ['csv', 'text/csv; charset=utf-8', '\ufeffid,name\r\n3,Zoë\r\n'],
    ['json', 'application/json', '[\n{"id":3,"name":"Zoë"}\n]\n'],
    ['ndjson', 'application/x-ndjson', '{"id":3,"name":"Zoë"}\n'],
    ['parquet', 'application/vnd.apache.parquet', null],
  ] as const)('a format other than XLSX: %s', async (format, type, text) => {
    const view = { filters: [{ column: 'id', op: 'eq' as const, value: 3 }] }
    const rows = { columns: ['id', 'name'], rows: [{ id: 3, name: 'Zoë' }], title: 'people' }
    for (const body of [
      { file_id, view, columns: ['id', 'name'], format },
      { ...rows, format },
    ]) {
      const response = await ann.call(contract.tables.export, { body })
      expect(response.headers.get('content-type')).toBe(type)
      expect(response.headers.get('cache-control')).toBe('private, no-store')
      expect(response.headers.get('content-disposition')).toContain(`people.${format}`)
      const bytes = Buffer.from(await response.arrayBuffer())
      if (text === null)
        expect([bytes.subarray(0, 4).toString(), bytes.subarray(-4).toString()]).toEqual(['PAR1', 'PAR1'])
      else expect(bytes.toString()).toBe(text)
    }
  })

  test('all sheets of a file', async () => {
    const response = await ann.call(contract.tables.export, { body: { file_id, all_sheets: true, format: 'csv' } })
    expect(response.headers.get('content-type')).toBe('application/zip')
    expect(response.headers.get('content-disposition')).toContain('people.zip')
    await response.arrayBuffer()
  })

  test('the body is JSON, also as mere bytes, but no form', async () => {
    const body = Buffer.from(JSON.stringify({ rows: [{ a: 1 }] }))
    const send = (type?: string) =>
      ann.fetch(PATH, { method: 'POST', headers: type === undefined ? {} : { 'content-type': type }, body })
    for (const type of [undefined, 'application/octet-stream', 'application/json']) {
      const response = await send(type)
      await response.arrayBuffer()
      expect([type, response.status]).toEqual([type, 200])
    }
    for (const type of ['text/plain', 'application/x-www-form-urlencoded'])
      expect([type, (await send(type)).status]).toEqual([type, 415])
    const broken = await ann.fetch(PATH, { method: 'POST', body: Buffer.from('{"rows":') })
    expect([broken.status, ((await broken.json()) as { code: string }).code]).toEqual([400, 'malformed_json'])
  })

  test('a body beyond the limit is 413, announced or not', async () => {
    const response = await ann.fetch(PATH, { method: 'POST', body: Buffer.alloc(TABLE_EXPORT_LIMIT + 1, 'x') })
    expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([413, 'payload_too_large'])
    const rows = Array.from({ length: 30_000 }, (_, i) => ({ a: i, b: `row ${i} ${'x'.repeat(200)}` }))
    const [data] = await exported({ rows })
    expect(data!.rows).toHaveLength(30_001)
  })

  test.each<[string, number, unknown]>([
    ['nothing to export', 422, {}],
    ['columns alone', 422, { columns: ['a'] }],
    ['no columns', 422, { columns: [], rows: [] }],
    ['rows that are no objects', 422, { rows: [[1]] }],
    ['cells that are objects', 422, { rows: [{ a: {} }] }],
    ['an unknown field', 422, { rows: [{ a: 1 }], formula: 'x' }],
    ['a format that is not known', 422, { rows: [{ a: 1 }], format: 'xls' }],
    ['all sheets of rows', 422, { rows: [{ a: 1 }], all_sheets: true }],
    ['a view of all sheets', 422, { file_id: 'OWN', all_sheets: true, view: { search: 'x' } }],
    ['a list', 422, []],
    ['a file that is not there', 404, { file_id: 'fil_none' }],
    ['an id that is none', 404, { file_id: '../../etc/passwd' }],
    ['a column that is not there', 422, { file_id: 'OWN', columns: ['nope'] }],
    ['a view that is none', 422, { file_id: 'OWN', view: '{"sort":1}' }],
    ['a sheet that is not there', 422, { file_id: 'OWN', sheet: 'nope' }],
    ['a presentation that is none', 422, { rows: [{ a: 1 }], ai_column_presentation: { a: 'wide' } }],
  ])('%s is %i', async (_what, status, given) => {
    const body = Buffer.from(JSON.stringify(given).replace('"OWN"', JSON.stringify(file_id)))
    const response = await ann.fetch(PATH, { method: 'POST', body })
    const problem = (await response.json()) as { detail: string }
    expect([response.status, problem.detail]).toEqual([status, expect.stringMatching(/\S/)])
  })

  test('a file that is no table is 415 or 422', async () => {
    const picture = await upload(ann, 'a.png', Buffer.from('89504e470d0a1a0a0000', 'hex'))
    await expect(exported({ file_id: picture })).rejects.toMatchObject({ status: 415, code: 'unsupported_media_type' })
    const broken = await upload(ann, 'broken.parquet', 'PAR1 and then nothing')
    await expect(exported({ file_id: broken })).rejects.toMatchObject({ status: 422, code: 'unreadable_file' })
  })

  test("somebody else's file is not found", async () => {
    await expect(exported({ file_id }, await stage.as('ben'))).rejects.toMatchObject({ status: 404, code: 'not_found' })
  })

  test('rules: each of both permissions may ask (409) or be denied (403), also for rows of the request', async () => {
    const member = await stage.member('mia')
    for (const subject of ['files.read', 'files.create'] as const) {
      for (const [effect, status] of [
        ['ask', 409],
        ['deny', 403],
        ['allow', 200],
      ] as const) {
        await stage.setRules(member, [{ subject, effect }])
        const response = await member.client.fetch(PATH, { method: 'POST', body: Buffer.from('{"rows":[{"a":1}]}') })
        await response.arrayBuffer()
        expect([subject, effect, response.status]).toEqual([subject, effect, status])
      }
    }
  })
})

async function upload(client: TestClient, name: string, body: string | Buffer): Promise<string> {
  const { file } = await client.call(contract.files.upload, {
    headers: { 'x-file-name': name },
    body: Buffer.from(body),
  })
  return file.file_id
}

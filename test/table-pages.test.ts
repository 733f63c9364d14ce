import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import type { TableResult, TableView } from '../contract/tables.ts'
import { openStage, type Member, type Stage } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { databases } from './stage/servers/postgres.ts'
import { until } from './stage/wait.ts'
import { xlsx } from './stage/documents/sheet-js.ts'

const PEOPLE =
  'id,name,born,score,code\r\n' +
  '1,Zoë,2001-02-03,10.5,007\r\n' +
  '2,Олег,1999-12-31,,012\r\n' +
  '3,李雷,2010-05-06,-3,12345678901234567890\r\n' +
  '4,anna,,7.25,abc\r\n'

describe.each(databases)('pages of tables on $name', (database) => {
  let stage: Stage
  let ann: TestClient
  let people: string
  beforeAll(async () => {
    stage = await openStage(database, { engine: false })
    ann = await stage.as('ann')
    people = await upload(ann, 'people.csv', PEOPLE)
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const read = (file_id: string, query: Record<string, unknown> = {}, client = ann): Promise<TableResult> =>
    client.call(contract.tables.table, { params: { file_id }, query })
  const view = (value: TableView): { view: string } => ({ view: JSON.stringify(value) })
  const names = async (value: TableView): Promise<unknown[]> =>
    (await read(people, view(value))).rows.map((row) => row['name'])

  test('a table comes with its columns, typed, and every cell unharmed', async () => {
    expect(await read(people)).toEqual({
      file_id: people,
      name: 'people.csv',
      sheets: [expect.any(String)],
      sheet: expect.any(String),
      columns: [
        { key: 'id', label: 'id', type: 'integer', nullable: false },
        { key: 'name', label: 'name', type: 'text', nullable: false },
        { key: 'born', label: 'born', type: 'date', nullable: true },
        { key: 'score', label: 'score', type: 'number', nullable: true },
        { key: 'code', label: 'code', type: 'text', nullable: false },
      ],
      rows: [
        { id: 1, name: 'Zoë', born: '2001-02-03', score: 10.5, code: '007' },
        { id: 2, name: 'Олег', born: '1999-12-31', score: null, code: '012' },
        { id: 3, name: '李雷', born: '2010-05-06', score: -3, code: '12345678901234567890' },
        { id: 4, name: 'anna', born: null, score: 7.25, code: 'abc' },
      ],
      page: 1,
      page_size: 25,
      total_rows: 4,
      total_pages: 1,
      view: {},
      notices: [],
      preparing: false,
    })
  })

  test('it is private, and is not to be kept', async () => {
    const response = await ann.fetch(`/api/files/${people}/table`)
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    expect(response.headers.get('content-type')).toMatch(/^application\/json/)
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  })

  test('pages', async () => {
    expect(await read(people, { page: 2, page_size: 3 })).toMatchObject({
      rows: [{ id: 4 }],
      page: 2,
      page_size: 3,
      total_rows: 4,
      total_pages: 2,
    })
    expect(await read(people, { page: 99, page_size: 3 })).toMatchObject({ rows: [], total_rows: 4, total_pages: 2 })
    for (const query of ['page=0', 'page=x', 'page=1.5', 'page_size=0', 'page_size=501']) {
      const answer = await ann.fetch(`/api/files/${people}/table?${query}`)
      expect([query, answer.status, ((await answer.json()) as { code: string }).code]).toEqual([
        query,
        422,
        'invalid_request',
      ])
    }
  })

  test.each<[string, TableView, string[]]>([
    ['eq', { filters: [{ column: 'id', op: 'eq', value: 2 }] }, ['Олег']],
    ['eq of text tells upper from lower case', { filters: [{ column: 'name', op: 'eq', value: 'Anna' }] }, []],
    ['ne', { filters: [{ column: 'id', op: 'ne', value: 2 }] }, ['Zoë', '李雷', 'anna']],
    ['lt', { filters: [{ column: 'score', op: 'lt', value: 0 }] }, ['李雷']],
    ['lte', { filters: [{ column: 'born', op: 'lte', value: '1999-12-31' }] }, ['Олег']],
    ['gt', { filters: [{ column: 'score', op: 'gt', value: 7.25 }] }, ['Zoë']],
    ['gte', { filters: [{ column: 'score', op: 'gte', value: 7.25 }] }, ['Zoë', 'anna']],
    ['contains', { filters: [{ column: 'name', op: 'contains', value: 'ЛЕ' }] }, ['Олег']],
    ['starts_with', { filters: [{ column: 'code', op: 'starts_with', value: '0' }] }, ['Zoë', 'Олег']],
    ['in', { filters: [{ column: 'id', op: 'in', value: [1, 4, 99] }] }, ['Zoë', 'anna']],
    ['empty', { filters: [{ column: 'born', op: 'empty' }] }, ['anna']],
    ['not_empty', { filters: [{ column: 'score', op: 'not_empty' }] }, ['Zoë', '李雷', 'anna']],
    ['a number of twenty digits', { filters: [{ column: 'code', op: 'eq', value: '12345678901234567890' }] }, ['李雷']],
    [
      'two filters mean both',
      {
        filters: [
          { column: 'id', op: 'gt', value: 1 },
          { column: 'id', op: 'lt', value: 4 },
        ],
      },
      ['Олег', '李雷'],
    ],
    ['search', { search: 'ANN' }, ['anna']],
    ['sort, empty cells last', { sort: [{ column: 'score', dir: 'desc' }] }, ['Zoë', 'anna', '李雷', 'Олег']],
    ['what looks like SQL is text', { search: "'; DROP TABLE t0; --" }, []],
  ])('a view: %s', async (_what, value, expected) => {
    expect(await names(value)).toEqual(expected)
  })

  test('a view chooses and orders columns, and is given back', async () => {
    const value: TableView = { columns: ['code', 'ID'], sort: [{ column: 'id', dir: 'desc' }] }
    const page = await read(people, { ...view(value), page_size: 1 })
    expect(page.columns.map(({ key }) => key)).toEqual(['code', 'id'])
    expect(page.rows).toEqual([{ code: 'abc', id: 4 }])
    expect(page.view).toEqual(value)
  })

  test.each([
    ['{', 'view'],
    ['[]', 'view'],
    ['null', 'view'],
    ['{"serch":"x"}', 'view'],
    ['{"filters":[{"column":"id","op":"like","value":1}]}', 'view.filters.0.op'],
    ['{"filters":[{"column":"nope","op":"eq","value":1}]}', 'view'],
    ['{"filters":[{"column":"id","op":"eq"}]}', 'view'],
    ['{"filters":[{"column":"id","op":"in","value":1}]}', 'view'],
    ['{"filters":[{"column":"id","op":"gt","value":"many"}]}', 'view'],
    ['{"sort":[{"column":"id","dir":"up"}]}', 'view.sort.0.dir'],
    ['{"columns":[]}', 'view.columns'],
    ['{"columns":["id","nope"]}', 'view'],
  ])('a bad view is refused: %s', async (text, path) => {
    await expect(read(people, { view: text })).rejects.toMatchObject({
      status: 422,
      code: 'invalid_request',
      problem: { errors: [{ path, message: expect.stringMatching(/\S/) }] },
    })
  })

  test('a sheet that is not there is refused, and the sentence names those that are', async () => {
    const answer = read(people, { sheet: 'Elsewhere' })
    await expect(answer).rejects.toMatchObject({ status: 422, problem: { errors: [{ path: 'sheet' }] } })
    await expect(answer).rejects.toThrow(/There are: "/)
  })

  test('a workbook: its sheets by name, the first one when none is named', async () => {
    const book = xlsx.utils.book_new()
    xlsx.utils.book_append_sheet(book, xlsx.utils.aoa_to_sheet([['a'], [1]]), 'First')
    xlsx.utils.book_append_sheet(book, xlsx.utils.aoa_to_sheet([['b'], ['x'], ['y']]), 'Zweites Blatt')
    const file_id = await upload(ann, 'book.xlsx', xlsx.write(book, { type: 'buffer' }) as Buffer)
    const sheets = ['First', 'Zweites Blatt']
    expect(await read(file_id)).toMatchObject({ sheets, sheet: 'First', rows: [{ a: 1 }], total_rows: 1 })
    const second = { sheets, sheet: 'Zweites Blatt', rows: [{ b: 'x' }, { b: 'y' }], total_rows: 2 }
    expect(await read(file_id, { sheet: 'zweites blatt' })).toMatchObject(second)
  })

  test('JSON rows are a table, and what is none or is broken is refused', async () => {
    const file_id = await upload(ann, 'rows.ndjson', '{"a":1,"b":"x"}\n{"a":2,"b":null}\n')
    expect((await read(file_id)).rows).toEqual([
      { a: 1, b: 'x' },
      { a: 2, b: null },
    ])
    const picture = await upload(ann, 'a.png', Buffer.from('89504e470d0a1a0a0000', 'hex'))
    await expect(read(picture)).rejects.toMatchObject({ status: 415, code: 'unsupported_media_type' })
    const broken = await upload(ann, 'broken.parquet', 'PAR1 and then nothing')
    await expect(read(broken)).rejects.toMatchObject({ status: 422, code: 'unreadable_file' })
    const empty = await upload(ann, 'empty.csv', '')
    await expect(read(empty)).rejects.toMatchObject({ status: 422, code: 'unreadable_file' })
  })

  test("somebody else's file is not found, like none at all", async () => {
    const ben = await stage.as('ben')
    const problems = await Promise.all(
      [people, 'fil_none', 'x'].map(async (file_id) => {
        const answer = await ben.fetch(`/api/files/${file_id}/table`)
        return { ...((await answer.json()) as object), status: answer.status }
      }),
    )
    for (const problem of problems) expect(problem).toEqual({ ...problems[0], status: 404 })
  })

  test('a deleted file has no table any more', async () => {
    const file_id = await upload(ann, 'gone.csv', 'a,b\n1,2\n')
    await read(file_id)
    await ann.call(contract.files.remove, { params: { file_id } })
    await expect(read(file_id)).rejects.toMatchObject({ status: 404 })
  })

  test('rules: what asks is 409, what is denied is 403', async () => {
    const member: Member = await stage.member('mia')
    const file_id = await upload(member.client, 'a.csv', 'a,b\n1,2\n')
    await stage.setRules(member, [{ subject: 'files.read', effect: 'ask' }])
    await expect(read(file_id, {}, member.client)).rejects.toMatchObject({ status: 409, code: 'approval_required' })
    await stage.setRules(member, [{ subject: 'files.read', effect: 'deny' }])
    await expect(read(file_id, {}, member.client)).rejects.toMatchObject({ status: 403, code: 'forbidden' })
    await stage.setRules(member, [{ subject: 'files.create', effect: 'deny' }])
    expect((await read(file_id, {}, member.client)).total_rows).toBe(1)
  })

  test('the first page of a large file comes before the file is read, and the rest later', async () => {
    const rows = Array.from({ length: 120_000 }, (_, i) => `${i},row number ${i}\n`).join('')
    const file_id = await upload(ann, 'large.csv', `n,text\n${rows}`)
    const first = await read(file_id, { page_size: 2 })
    expect(first.rows).toEqual([
      { n: 0, text: 'row number 0' },
      { n: 1, text: 'row number 1' },
    ])
    if (first.preparing) expect(first).toMatchObject({ total_rows: null, total_pages: null })
    const whole = await until(async () => {
      const page = await read(file_id, { page_size: 2 })
      return !page.preparing && page
    })
    expect(whole).toMatchObject({ rows: first.rows, total_rows: 120_000, total_pages: 60_000, notices: [] })
    expect((await read(file_id, { page: 60_000, page_size: 2 })).rows.at(-1)).toEqual({
      n: 119_999,
      text: 'row number 119999',
    })
  })

  test('a large file that breaks off shows its beginning, says so, and is not read again and again', async () => {
    const rows = Array.from({ length: 60_000 }, (_, i) => ({ n: i, text: `row number ${i}` }))
    const file_id = await upload(ann, 'cut.json', JSON.stringify(rows).slice(0, -20))
    const page = await until(async () => {
      const shown = await read(file_id, { page_size: 2 })
      return !shown.preparing && shown
    })
    expect(page).toMatchObject({ total_rows: null, total_pages: null, preparing: false })
    expect(page.rows).toEqual(rows.slice(0, 2))
    expect(page.notices.at(-1)).toMatch(/^Only the beginning can be shown\. This file is/)
    await expect(read(file_id, { page: 2 })).rejects.toMatchObject({ status: 422, code: 'unreadable_file' })
    // The same bytes once more: they lie under the id of the first file.
    const again = await upload(ann, 'again.json', JSON.stringify(rows).slice(0, -20))
    expect(await read(again, { page_size: 2 })).toMatchObject({ rows: rows.slice(0, 2), preparing: false })
  })
})

async function upload(client: TestClient, name: string, body: string | Buffer): Promise<string> {
  const { file } = await client.call(contract.files.upload, {
    headers: { 'x-file-name': encodeURIComponent(name) },
    body: Buffer.from(body),
  })
  return file.file_id
}

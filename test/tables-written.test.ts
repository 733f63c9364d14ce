import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { contract } from '../contract/index.ts'
import type { TableView } from '../contract/tables.ts'
import { openStage, type Stage } from './stage/chat-stage.ts'
import type { TestClient } from './stage/client.ts'
import { databases } from './stage/servers/postgres.ts'
import { textRows, xlsxBytes } from './stage/documents/spreadsheet-bytes.ts'
import { cells, openTablesStage, source, type TablesStage } from './stage/documents/tables-stage.ts'

describe('text that is written as values', () => {
  let stage: TablesStage
  beforeAll(async () => {
    stage = await openTablesStage()
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const columnOf = (texts: readonly string[]) => source('t.csv', `a;n\n${texts.map((text) => `${text};x\n`).join('')}`)
  const read = async (texts: readonly string[]) => {
    const page = await stage.read(columnOf(texts))
    return { type: page.columns[0]!.type, values: cells(page).map(([value]) => value), texts: page.texts }
  }

  test.each<[string, string[], string, unknown[]]>([
    ['amounts', ['$1,234.50', '-$3', '$12'], 'number', [1234.5, -3, 12]],
    ['whole amounts', ['$1,234', '$56'], 'integer', [1234, 56]],
    ['amounts with the mark behind', ['1.234,50 €', '7 €'], 'number', [1234.5, 7]],
    ['amounts with a code', ['CHF 1’234.50', 'CHF 2'], 'number', [1234.5, 2]],
    ['percent', ['12%', '7.5 %', '100%'], 'number', [0.12, 0.075, 1]],
    ['thousands', ['1,234', '1,234,567', '12'], 'integer', [1234, 1234567, 12]],
    ['thousands and a point', ['1,234', '2.5'], 'number', [1234, 2.5]],
    ['thousands with points', ['1.234,5', '1.234'], 'number', [1234.5, 1234]],
    ['thousands with blanks', ['1 234,50', '\u221217,5'], 'number', [1234.5, -17.5]],
    ['month first', ['3/14/2024', '12/1/2023'], 'date', ['2024-03-14', '2023-12-01']],
    ['day first', ['14/3/2024', '1/12/2023'], 'date', ['2024-03-14', '2023-12-01']],
    ['day first with points', ['4.3.2024', '14.3.2024'], 'date', ['2024-03-04', '2024-03-14']],
    ['times of day', ['9:05', '10:30:15'], 'integer', [32700, 37815]],
  ])('%s are values, and show as they stand', async (_what, texts, type, values) => {
    expect(await read(texts)).toEqual({ type, values, texts: texts.map((a) => ({ a })) })
  })

  test.each<[string, string[]]>([
    ['a thousand or a point', ['1,234', '5,678']],
    ['a thousand or a point with a mark', ['€1,234', '€5,678']],
    ['a thousand or a point in percent', ['1.234%', '5.678%']],
    ['days up to 12', ['3/4/2024', '5/6/2024']],
    ['a day beyond each order', ['3/14/2024', '14/3/2024']],
    ['no day at all', ['2/30/2024', '3/14/2024']],
    ['one cell of another kind', ['$1,234.50', 'none']],
    ['marks that differ', ['$5', '€5']],
    ['a mark that is not everywhere', ['12%', '12']],
    ['groups that are none', ['1,23,456', '1,234,567']],
    ['leading zeros', ['007', '012']],
    ['leading zeros of amounts', ['$007', '$012']],
    ['versions', ['1.2.3', '1.10.0']],
    ['addresses', ['192.168.100.101', '192.168.100.102']],
    ['telephone numbers', ['555 123 456', '030 123 456']],
    ['telephone numbers with a plus', ['+49 30 123456', '+1 555 123 4567']],
    ['codes', ['ABC 123', 'ABC 456']],
    ['durations beyond a day', ['27:30', '9:05']],
    ['scores', ['2:1', '10:3']],
  ])('%s stays text', async (_what, texts) => {
    expect(await read(texts)).toEqual({ type: 'text', values: texts, texts: undefined })
  })

  test('what decides may come late, and so may what forbids', async () => {
    const many = Array.from({ length: 3000 }, () => '1,234')
    expect((await read([...many, '1,234,567'])).type).toBe('integer')
    expect((await read([...many, '1,234,567', '1.5.1'])).type).toBe('text')
  })

  test('the first rows of a large file show as they stand, too', async () => {
    const first = await stage.tables.preview(columnOf(['$1.50', '$2.50', '$3.50']), { rows: 2 })
    expect([first.rows.map(({ a }) => a), first.texts]).toEqual([
      [1.5, 2.5],
      [{ a: '$1.50' }, { a: '$2.50' }],
    ])
  })

  test('SQL has the values', async () => {
    const t = columnOf(['12%', '7.5%'])
    expect(await stage.ask('SELECT sum(a) FROM t', { t })).toEqual([[0.195]])
  })
})

describe('written values through the front door', () => {
  const HEAD = ['price', 'share', 'day', 'at', 'code']
  const ROWS = [
    ['$1,234.50', '12%', '3/14/2024', '9:05', '007'],
    ['$9.00', '7.5%', '11/2/2023', '10:30', '008'],
    ['$200.00', '100%', '1/5/2024', '8:00', '009'],
  ]
  let stage: Stage
  let ann: TestClient
  beforeAll(async () => {
    stage = await openStage(databases[0]!, { engine: false })
    ann = await stage.as('ann')
  })
  afterAll(() => stage[Symbol.asyncDispose]())

  const upload = async (name: string, content: string | Uint8Array): Promise<string> => {
    const headers = { 'x-file-name': name }
    return (await ann.call(contract.files.upload, { headers, body: Buffer.from(content) })).file.file_id
  }
  const page = (file_id: string, view: TableView = {}) =>
    ann.call(contract.tables.table, { params: { file_id }, query: { view: JSON.stringify(view) } })
  const exported = async (file_id: string, format: 'csv' | 'json' | 'parquet' | 'xlsx'): Promise<Buffer> => {
    const response = await ann.fetch('/api/chat/tables/export', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ file_id, format }),
    })
    expect(response.status).toBe(200)
    return Buffer.from(await response.arrayBuffer())
  }
  const csv = `${[HEAD, ...ROWS].map((row) => row.map((cell) => `"${cell}"`).join(',')).join('\n')}\n`
  const VALUES = [
    [1234.5, 0.12, '2024-03-14', 32700, '007'],
    [9, 0.075, '2023-11-02', 37800, '008'],
    [200, 1, '2024-01-05', 28800, '009'],
  ]

  test.each<[string, () => string | Uint8Array]>([
    ['written.csv', () => csv],
    ['written.xlsx', () => xlsxBytes({ sheets: [{ name: 'Sheet1', data: textRows([HEAD, ...ROWS]) }] })],
  ])('%s is sorted, filtered, searched and exported by its values', async (name, content) => {
    const id = await upload(name, content())
    const whole = await page(id)
    expect(whole.columns.map(({ type }) => type)).toEqual(['number', 'number', 'date', 'integer', 'text'])
    expect(whole.rows.map((row) => Object.values(row))).toEqual(VALUES)
    expect(whole.texts?.map((row) => Object.values(row))).toEqual(ROWS.map((row) => row.slice(0, 4)))
    expect(whole.notices.join('\n')).toMatch(
      /"price" holds text that was read as amounts in \$[^]*"day"[^]*month first/,
    )
    const codes = async (view: TableView) => (await page(id, view)).rows.map(({ code }) => code)
    expect(await codes({ sort: [{ column: 'price', dir: 'asc' }] })).toEqual(['008', '009', '007'])
    expect(await codes({ sort: [{ column: 'day', dir: 'asc' }] })).toEqual(['008', '009', '007'])
    expect(await codes({ sort: [{ column: 'at', dir: 'asc' }] })).toEqual(['009', '007', '008'])
    expect(await codes({ filters: [{ column: 'share', op: 'lt', value: 0.1 }] })).toEqual(['008'])
    expect(await codes({ filters: [{ column: 'price', op: 'starts_with', value: '$1,2' }] })).toEqual(['007'])
    expect(await codes({ search: '3/14' })).toEqual(['007'])
    const some = await page(id, { columns: ['day', 'code'], sort: [{ column: 'day', dir: 'desc' }] })
    expect(some.texts?.[0]).toEqual({ day: '3/14/2024' })
    const json = JSON.parse((await exported(id, 'json')).toString()) as Record<string, unknown>[]
    expect(json.map((row) => Object.values(row))).toEqual(VALUES)
    expect((await exported(id, 'csv')).toString()).toContain('1234.50,0.12,2024-03-14,32700,007')
    for (const format of ['parquet', 'xlsx'] as const) {
      const again = await page(await upload(`again.${format}`, await exported(id, format)))
      expect(again.rows.map((row) => Object.values(row))).toEqual(VALUES)
      expect(again.texts).toBeUndefined()
    }
  })

  test('a chosen type wins', async () => {
    const id = await upload('chosen.csv', csv)
    await ann.call(contract.tables.setReading, {
      params: { file_id: id },
      body: { sheets: { Sheet1: { types: { price: 'text', at: 'number' } } } },
    })
    const { columns, rows, texts } = await page(id)
    expect(columns.map(({ type }) => type)).toEqual(['text', 'number', 'date', 'number', 'text'])
    expect([rows[0]!['price'], rows[0]!['at'], texts?.[0]]).toEqual([
      '$1,234.50',
      32700,
      { share: '12%', day: '3/14/2024', at: '9:05' },
    ])
  })
})

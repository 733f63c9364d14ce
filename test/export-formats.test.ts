import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ExportFormat } from '../contract/export-formats.ts'
import { exportTable, type ExportedTable, type FileExport, type RowsExport } from '../server/tables/export-table.ts'
import type { TableSource } from '../server/tables/shape/table-source.ts'
import { readParquet } from './stage/documents/read-parquet.ts'
import { readZip } from './stage/documents/read-zip.ts'
import { textRows, xlsxBytes } from './stage/documents/spreadsheet-bytes.ts'
import { cells, csv, openTablesStage, source, type TablesStage } from './stage/documents/tables-stage.ts'
import { collect, readWithSheetJs } from './stage/documents/workbook-readers.ts'

let stage: TablesStage
beforeAll(async () => {
  stage = await openTablesStage()
})
afterAll(() => stage[Symbol.asyncDispose]())

const NEVER = new AbortController().signal
const options = { title: null, presentation: {}, by: 'Ann', at: new Date('2026-11-21T06:07:08Z') }

async function exported(
  from: FileExport | RowsExport,
  format: ExportFormat,
  more: object = {},
): Promise<ExportedTable> {
  return exportTable(stage.tables, from, { ...options, format, ...more }, NEVER)
}
async function bytesOf(from: FileExport | RowsExport, format: ExportFormat, more: object = {}): Promise<Buffer> {
  return collect((await exported(from, format, more)).bytes)
}
async function textOf(from: FileExport | RowsExport, format: ExportFormat, more: object = {}): Promise<string> {
  return (await bytesOf(from, format, more)).toString()
}

const ORDERS = source(
  'orders 2024.csv',
  'code;big;price;day;moment;flag;mixed\n' +
    '007;9007199254740993;1,50;31.12.2024;2024-03-01T12:00:00+02:00;true;1\n' +
    '042;-1;0,05;01.02.2024;2024-03-01T00:30:00+02:00;false;=SUM(A1)\n' +
    ';5;12,00;;;;"a\u001f, ""b"""\n',
)

describe('a stored file', () => {
  test('as CSV: numbers with a point, dates in ISO 8601, a mark of UTF-8, labels that are wished for', async () => {
    const { name, media_type, bytes } = await exported({ source: ORDERS }, 'csv', {
      presentation: { price: { label: 'Preis, €' } },
    })
    expect([name, media_type]).toEqual(['orders 2024.csv', 'text/csv; charset=utf-8'])
    expect((await collect(bytes)).toString()).toBe(
      '\ufeffcode,big,"Preis, €",day,moment,flag,mixed\r\n' +
        '007,9007199254740993,1.50,2024-12-31,2024-03-01T10:00:00.000Z,true,1\r\n' +
        "042,-1,0.05,2024-02-01,2024-02-29T22:30:00.000Z,false,'=SUM(A1)\r\n" +
        ',5,12.00,,,,"a\u001f, ""b"""\r\n',
    )
  })

  test('as JSON and NDJSON: the values that its pages show', async () => {
    const page = await stage.read(ORDERS)
    const json = await textOf({ source: ORDERS }, 'json')
    expect(JSON.parse(json)).toEqual(page.rows)
    const lines = await textOf({ source: ORDERS }, 'ndjson')
    expect(lines.endsWith('}\n')).toBe(true)
    expect(
      lines
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual(page.rows)
    expect((await exported({ source: ORDERS }, 'ndjson')).name).toBe('orders 2024.ndjson')
  })

  test('as Parquet: types that lose nothing, and where it comes from', async () => {
    const found = await readParquet(await bytesOf({ source: ORDERS }, 'parquet'))
    expect(found.types).toEqual({
      code: 'VARCHAR',
      big: 'BIGINT',
      price: 'DECIMAL(18,2)',
      day: 'DATE',
      moment: 'TIMESTAMP WITH TIME ZONE',
      flag: 'BOOLEAN',
      mixed: 'VARCHAR',
    })
    expect(found.rows.map((row) => [row[0], row[1], row[2], row[3], row[5], row[6]])).toEqual([
      ['007', '9007199254740993', '1.50', '2024-12-31', true, '1'],
      ['042', '-1', '0.05', '2024-02-01', false, '=SUM(A1)'],
      [null, '5', '12.00', null, null, 'a\u001f, "b"'],
    ])
    expect(found.provenance).toMatchObject({
      Title: 'orders 2024',
      Source: 'orders 2024.csv',
      'Exported by': 'Ann',
      View: 'All rows. In the order of the source.',
    })
  })

  test('keeps rows, order and columns of a view in every format', async () => {
    const rows = Array.from({ length: 3000 }, (_, i) => [i, `name ${(i * 7919) % 1000}`, (i * 37) % 101])
    const file = source('numbers.csv', csv([['id', 'name', 'amount'], ...rows]))
    const view = {
      filters: [{ column: 'amount', op: 'gte', value: 90 }],
      sort: [{ column: 'amount', dir: 'desc' }],
      columns: ['amount', 'id'],
    } as const
    const page = cells(await stage.read(file, view))
    const shown = page.map(([amount, id]) => ({ amount, id }))
    expect(shown.length).toBeGreaterThan(300)
    expect(JSON.parse(await textOf({ source: file, view }, 'json'))).toEqual(shown)
    expect(await textOf({ source: file, view }, 'csv')).toBe(
      `\ufeffamount,id\r\n${page.map((row) => `${row.join(',')}\r\n`).join('')}`,
    )
    const { rows: found } = await readParquet(await bytesOf({ source: file, view }, 'parquet'))
    expect(found).toEqual(page.map((row) => row.map(String)))
    const none = { filters: [{ column: 'id', op: 'lt', value: 0 }] } as const
    expect(await textOf({ source: file, view: none }, 'json')).toBe('[\n]\n')
    expect(await textOf({ source: file, view: none }, 'ndjson')).toBe('')
    expect(await textOf({ source: file, view: none }, 'csv')).toBe('\ufeffid,name,amount\r\n')
    expect((await readParquet(await bytesOf({ source: file, view: none }, 'parquet'))).rows).toEqual([])
  })

  test('that nobody has read yet begins at once, and is the same file', async () => {
    const lines = Array.from({ length: 90_000 }, (_, i) => [i, `name ${(i * 2_654_435_761) >>> 0}`])
    for (const format of ['csv', 'json', 'ndjson', 'parquet'] as const) {
      const fresh = source(`${format}.csv`, csv([['id', 'name'], ...lines, [format, null]]))
      const first = await bytesOf({ source: fresh }, format)
      const again = await bytesOf({ source: fresh }, format)
      expect(first.equals(again)).toBe(true)
    }
  })
})

test('a text that a spreadsheet would run as a formula is disarmed in CSV, and only there', async () => {
  const texts = ['=1+1', '+cmd', '-2+3', '@SUM(A1)', '\t=1', '＝1+1', '-', '-12.5', '+49', '12 %', '-5%', 'a=b', '']
  const from = { columns: [{ key: 't', label: '=label' }], rows: texts.map((t) => ({ t })) }
  expect((await textOf(from, 'csv')).slice(1).split('\r\n').slice(0, -1)).toEqual([
    "'=label",
    "'=1+1",
    "'+cmd",
    "'-2+3",
    "'@SUM(A1)",
    `"'\t=1"`.replaceAll('"', ''),
    "'＝1+1",
    '-',
    '-12.5',
    '+49',
    '12 %',
    '-5%',
    'a=b',
    '""',
  ])
  expect(JSON.parse(await textOf(from, 'json'))).toEqual(texts.map((t) => ({ t })))
})

describe('rows of a request', () => {
  const ROWS: RowsExport = {
    columns: [
      { key: 'host', label: 'Host' },
      { key: 'load', type: 'number' },
      { key: 'size', type: 'bytes' },
      { key: 'took', type: 'duration' },
      { key: 'seen', type: 'datetime' },
      { key: 'day', type: 'date' },
      { key: 'big', type: 'integer' },
      { key: 'odd', type: 'integer' },
      { key: 'up', type: 'boolean' },
    ],
    rows: [
      {
        host: 'a"b',
        load: 1.5,
        size: 12,
        took: 3_723_000,
        seen: 1_700_000_000_000,
        day: '2024-02-29',
        big: '12345678901234567890',
        odd: 1,
        up: true,
        more: 'not shown',
      },
      { host: '', load: null, size: 7, took: 250, seen: '2024-01-01T10:00:00Z', day: null, odd: 'x', up: false },
    ],
  }

  test('as CSV and JSON', async () => {
    expect(await textOf(ROWS, 'csv', { title: 'Hosts' })).toBe(
      '\ufeffHost,load,size,took,seen,day,big,odd,up\r\n' +
        '"a""b",1.5,12,1:02:03,2023-11-14T22:13:20.000Z,2024-02-29,12345678901234567890,1,true\r\n' +
        '"",,7,0:00:00.250,2024-01-01T10:00:00Z,,,x,false\r\n',
    )
    expect(JSON.parse(await textOf(ROWS, 'json'))).toEqual([
      {
        host: 'a"b',
        load: 1.5,
        size: 12,
        took: 3_723_000,
        seen: '2023-11-14T22:13:20.000Z',
        day: '2024-02-29',
        big: '12345678901234567890',
        odd: 1,
        up: true,
      },
      { ...ROWS.rows[1], big: null },
    ])
  })

  test('as Parquet: typed where every cell fits', async () => {
    const { types, rows, provenance } = await readParquet(await bytesOf(ROWS, 'parquet', { title: 'Hosts' }))
    expect(types).toEqual({
      host: 'VARCHAR',
      load: 'DOUBLE',
      size: 'BIGINT',
      took: 'BIGINT',
      seen: 'TIMESTAMP',
      day: 'DATE',
      big: 'VARCHAR',
      odd: 'VARCHAR',
      up: 'BOOLEAN',
    })
    expect(rows).toEqual([
      ['a"b', 1.5, '12', '3723000', '2023-11-14 22:13:20', '2024-02-29', '12345678901234567890', '1', true],
      ['', null, '7', '250', '2024-01-01 10:00:00', null, null, 'x', false],
    ])
    expect(provenance).toMatchObject({ Title: 'Hosts' })
    expect((await readParquet(await bytesOf({ columns: [{ key: 'a' }], rows: [] }, 'parquet'))).rows).toEqual([])
  })

  test('with columns of one name keep both', async () => {
    const twice = { columns: [{ key: 'a' }, { key: 'A' }], rows: [{ a: 1, A: 2 }] }
    expect(JSON.parse(await textOf(twice, 'json'))).toEqual([{ a: 1, 'A (2)': 2 }])
    expect((await readParquet(await bytesOf(twice, 'parquet'))).types).toEqual({ a: 'BIGINT', 'A (2)': 'BIGINT' })
  })
})

describe('all sheets', () => {
  const BOOK: TableSource = source(
    'book.xlsx',
    xlsxBytes({
      sheets: [
        { name: 'People', data: textRows([['name'], ['Zoë'], ['Ann']]) },
        { name: 'Empty', data: '' },
        {
          name: 'Prices <€>',
          data: textRows([
            ['what', 'price'],
            ['tea', '1'],
          ]),
        },
      ],
    }),
  )
  const all = { source: BOOK, sheet: { all: true } } as const

  test('are one workbook', async () => {
    const { name, bytes } = await exported(all, 'xlsx')
    expect(name).toBe('book.xlsx')
    const sheets = readWithSheetJs(await collect(bytes))
    expect(Object.keys(sheets)).toEqual(['People', 'Empty', 'Prices <€>', 'Provenance'])
    expect(sheets['People']).toEqual([['name'], ['Zoë'], ['Ann']])
    const lines = sheets['Provenance']!
    expect(lines.filter(([label]) => label === 'Source sheet')).toEqual([
      ['Source sheet', 'People'],
      ['Source sheet', 'Empty'],
      ['Source sheet', 'Prices <€>'],
    ])
    expect(lines.filter(([label]) => label === 'Rows')).toEqual([
      ['Rows', '2'],
      ['Rows', '0'],
      ['Rows', '1'],
    ])
  })

  test.each(['csv', 'json', 'ndjson', 'parquet'] as const)('as %s are files in an archive', async (format) => {
    const { name, media_type, bytes } = await exported(all, format)
    expect([name, media_type]).toEqual(['book.zip', 'application/zip'])
    const files = await readZip(await collect(bytes))
    expect(Object.keys(files)).toEqual([
      `People.${format}`,
      `Empty.${format}`,
      `Prices -€-.${format}`,
      'provenance.json',
    ])
    expect(JSON.parse(files['provenance.json']!.toString())).toMatchObject({
      Title: 'book',
      Files: { [`People.${format}`]: { Source: 'book.xlsx', 'Source sheet': 'People' } },
    })
    const people = files[`People.${format}`]!
    if (format === 'csv') expect(people.toString()).toBe('\ufeffname\r\nZoë\r\nAnn\r\n')
    if (format === 'json') expect(JSON.parse(people.toString())).toEqual([{ name: 'Zoë' }, { name: 'Ann' }])
    if (format === 'ndjson') expect(people.toString()).toBe('{"name":"Zoë"}\n{"name":"Ann"}\n')
    if (format === 'parquet') expect((await readParquet(people)).rows).toEqual([['Zoë'], ['Ann']])
  })
})

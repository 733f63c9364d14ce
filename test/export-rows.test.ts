import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseExactJson } from '../server/kernel/text/exact-json.ts'
import { exportTable, type ExportOptions, type RowsExport } from '../server/tables/export-table.ts'
import {
  collect,
  noLibreOffice,
  noOpenpyxl,
  readWithHucre,
  readWithLibreOffice,
  readWithOpenpyxl,
  readWithSheetJs,
} from './stage/documents/workbook-readers.ts'
import { openTablesStage, refusal, type TablesStage } from './stage/documents/tables-stage.ts'

let stage: TablesStage
beforeAll(async () => {
  stage = await openTablesStage()
})
afterAll(() => stage[Symbol.asyncDispose]())

const AT = new Date('2026-11-21T06:07:08.900Z')
const options = (more: Partial<ExportOptions> = {}): ExportOptions => ({
  title: 'Orders',
  presentation: {},
  by: 'Ann',
  at: AT,
  ...more,
})

async function workbook(from: RowsExport, more: Partial<ExportOptions> = {}): Promise<Buffer> {
  return collect((await exportTable(stage.tables, from, options(more), new AbortController().signal)).bytes)
}

const SAMPLE: RowsExport = {
  columns: [
    { key: 'id', label: 'Nr.', type: 'integer' },
    { key: 'price', type: 'number' },
    { key: 'day', type: 'date' },
    { key: 'moment', type: 'datetime' },
    { key: 'paid', type: 'boolean' },
    { key: 'code', type: 'text' },
    { key: 'size', type: 'bytes' },
    { key: 'share', type: 'percent' },
    { key: 'took', type: 'duration' },
  ],
  rows: [
    {
      id: 7,
      price: 12.5,
      day: '2024-02-29',
      moment: '2024-02-29T13:14:15Z',
      paid: true,
      code: '007',
      size: 123_456,
      share: 25,
      took: 5_430_000,
    },
    { id: null, price: -0.1, day: '1900-01-01', moment: '2024-01-01 10:00:00.250', paid: false, code: '=1+1' },
  ],
}

describe('what openpyxl reads back', () => {
  test.skipIf(noOpenpyxl !== null)('types, formats, header, filter and provenance', async () => {
    const [data, provenance] = await readWithOpenpyxl(await workbook(SAMPLE))
    expect(data).toMatchObject({ title: 'Orders', freeze: 'A2', filter: 'A1:I3', bold: true })
    expect(data!.rows[0]!.map(({ value }) => value)).toEqual([
      'Nr.',
      'price',
      'day',
      'moment',
      'paid',
      'code',
      'size',
      'share',
      'took',
    ])
    expect(data!.rows[1]).toEqual([
      { value: 7, type: 'n', format: '0' },
      { value: 12.5, type: 'n', format: 'General' },
      { value: '2024-02-29T00:00:00', type: 'd', format: String.raw`yyyy\-mm\-dd` },
      { value: '2024-02-29T13:14:15', type: 'd', format: String.raw`yyyy\-mm\-dd hh:mm:ss` },
      { value: true, type: 'b', format: 'General' },
      { value: '007', type: 's', format: '@' },
      { value: 123_456, type: 'n', format: '[>=1000000000]0.0,,," GB";[>=1000000]0.0,," MB";0.0," kB"' },
      { value: 0.25, type: 'n', format: '0.0%' },
      { value: expect.anything(), type: 'd', format: '[h]:mm:ss' },
    ])
    expect(data!.rows[2]!.map(({ value }) => value)).toEqual([
      null,
      -0.1,
      '1900-01-01',
      '2024-01-01T10:00:00.250000',
      false,
      '=1+1',
      null,
      null,
      null,
    ])
    expect(data!.rows[2]![5]!.type).toBe('s')
    const lines = provenance!.rows.map(([name, text]) => [name!.value, text!.value])
    expect(provenance!.title).toBe('Provenance')
    expect(lines).toEqual([
      ['Title', 'Orders'],
      ['Source', 'A table from a conversation, as it was shown there.'],
      ['Columns', '9'],
      ['Rows', '2'],
      ['Exported at', '2026-11-21 06:07:08 UTC'],
      ['Exported by', 'Ann'],
      ['Exported with', 'Reeve'],
      ['Notice', 'Dates that a spreadsheet cannot show, written as text: 1.'],
    ])
  })

  test.skipIf(noOpenpyxl !== null)('labels, formats, widths and hidden columns as wished', async () => {
    const presentation = {
      id: { label: 'Number', format: 'text' },
      price: { format: 'currency:JPY', width: 33 },
      day: { hidden: true },
      share: { format: 'percent:2' },
      code: { format: 'sparkles' },
    }
    const [data, provenance] = await readWithOpenpyxl(await workbook(SAMPLE, { presentation }))
    expect(data!.rows[0]![0]!.value).toBe('Number')
    expect(data!.rows[1]![0]).toEqual({ value: '7', type: 's', format: '@' })
    expect(data!.rows[1]![1]).toEqual({ value: 12.5, type: 'n', format: '#,##0 [$JPY]' })
    expect(data!.rows[1]![7]!.format).toBe('0.00%')
    expect(data!.columns['B']!.width).toBe(33)
    expect(data!.columns['C']!.hidden).toBe(true)
    const notices = provenance!.rows.filter(([name]) => name!.value === 'Notice').map(([, text]) => text!.value)
    expect(notices).toContain('Hidden, but in the file: "day".')
    expect(notices).toContain('The format "sparkles" of the column "code" is not known, so it was not used.')
  })
})

describe('no value becomes a formula', () => {
  const attacks = [
    '=1+1',
    '+1',
    '-1+1',
    '@SUM(A1)',
    '\t=1',
    '\r=1',
    '=cmd|"/c calc"!A0',
    '＝1',
    "'=1",
    '<f>1</f>',
    ']]>',
    '&#61;1',
  ]
  const table: RowsExport = {
    columns: [{ key: 'v', label: '=HYPERLINK("x")', type: 'number' }],
    rows: attacks.map((v) => ({ v })),
  }

  test('in the bytes: there is no element for one', async () => {
    for (const type of ['text', 'number', 'date', 'datetime', 'boolean'] as const) {
      const bytes = await workbook({ columns: [{ key: 'v', type }], rows: table.rows }, { title: "=1'+1" })
      const sheets = readWithSheetJs(bytes)
      expect(Object.values(sheets)[0]!.slice(1).flat()).toEqual(attacks)
    }
  })

  test.skipIf(noOpenpyxl !== null)('as openpyxl reads it', async () => {
    const [data] = await readWithOpenpyxl(await workbook(table))
    expect(new Set(data!.rows.flat().map(({ type }) => type))).toEqual(new Set(['s']))
  })

  test.skipIf(noLibreOffice !== null)('as LibreOffice shows it', async () => {
    const { Orders } = await readWithLibreOffice(
      await workbook({ columns: table.columns, rows: [{ v: '=1+1' }, { v: '@SUM(A1)' }] }),
    )
    expect(Orders).toBe('"=HYPERLINK(""x"")"\n=1+1\n@SUM(A1)\n')
  })
})

test.skipIf(noLibreOffice !== null)('LibreOffice shows every type as it is meant', async () => {
  const shown = await readWithLibreOffice(await workbook(SAMPLE))
  expect(shown['Orders']).toBe(
    'Nr.,price,day,moment,paid,code,size,share,took\n' +
      '7,12.5,2024-02-29,2024-02-29 13:14:15,TRUE,007,123.5 kB,25.0%,1:30:30\n' +
      ',-0.1,1900-01-01,2024-01-01 10:00:00.250,FALSE,=1+1,,,\n',
  )
  expect(Object.keys(shown)).toEqual(['Orders', 'Provenance'])
})

test('every text comes back as it was, whoever reads it', async () => {
  const unit = fc.constantFrom(...'aZ09 =+-@,.;"\'<>&\t\n\r\0\x01\x1f\x7f_xé日\ufffe', '🚀', '_x0041_', '</t>', ' ')
  const cell = fc.oneof(
    fc.string({ unit, minLength: 1, maxLength: 12 }),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }),
    fc.integer({ min: -1e15 + 1, max: 1e15 - 1 }),
    fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e12, max: 1e12 }).map((n) => (Object.is(n, -0) ? 0 : n)),
    fc.boolean(),
    fc.constant(null),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 8 }), async (rows) => {
      const columns = ['a', 'b', 'c'].map((key) => ({ key }))
      const bytes = await workbook({ columns, rows: rows.map(([a, b, c]) => ({ a, b, c })) })
      const expected = rows.map((row) => row.map((value) => (typeof value === 'string' ? value.toWellFormed() : value)))
      const found = (await readWithHucre(bytes))['Orders']!.slice(1)
      const padded = expected.map((row, i) => row.map((_, j) => found[i]?.[j] ?? null))
      const mixed = expected.map((row, i) =>
        row.map((value, j) => {
          const types = new Set(expected.map((each) => typeof each[j]).filter((type) => type !== 'object'))
          // A column of several types is text throughout.
          return types.size > 1 && value !== null && typeof value !== 'string' ? shownAs(value, padded[i]![j]) : value
        }),
      )
      expect(padded).toEqual(mixed)
    }),
    { numRuns: 60 },
  )
})

function shownAs(value: unknown, found: unknown): unknown {
  return String(value) === found ? found : value
}

test('digits beyond what a spreadsheet keeps stay, as text', async () => {
  const body = '{"rows":[{"n":9007199254740993},{"n":-123456789012345678901234567890},{"n":12},{"n":1e300}]}'
  const { rows } = parseExactJson(body) as { rows: Record<string, unknown>[] }
  expect(rows.map(({ n }) => n)).toEqual(['9007199254740993', '-123456789012345678901234567890', 12, 1e300])
  const bytes = await workbook({
    columns: [{ key: 'n', type: 'integer' }],
    rows: [...rows, { n: 999_999_999_999_999 }, { n: 2 ** 53 }],
  })
  expect(readWithSheetJs(bytes)['Orders']!.flat()).toEqual([
    'n',
    '9007199254740993',
    '-123456789012345678901234567890',
    12,
    1e300,
    999_999_999_999_999,
    '9007199254740992',
  ])
})

test('a text longer than a cell is cut between characters, and the workbook says so', async () => {
  const long = `${'a'.repeat(32_766)}🚀b`
  const sheets = readWithSheetJs(
    await workbook({ columns: [{ key: 't' }], rows: [{ t: long }, { t: 'x'.repeat(32_767) }] }),
  )
  expect(sheets['Orders']!.flat().map((text) => (text as string).length)).toEqual([1, 32_766, 32_767])
  expect(sheets['Provenance']!.at(-1)).toEqual([
    'Notice',
    'Texts cut to 32767 characters, the most that a cell can hold: 1.',
  ])
})

test('what a workbook says about itself is in the language of the user who exports it', async () => {
  const sheets = readWithSheetJs(
    await workbook({ columns: [{ key: 't' }], rows: [{ t: 'x'.repeat(32_768) }] }, { language: 'de' }),
  )
  expect(sheets['Provenance']!.at(-1)).toEqual([
    'Notice',
    'Auf 32767 Zeichen gekürzte Texte (mehr fasst eine Zelle nicht): 1.',
  ])
})

test('keys of other prototypes, missing cells and objects do no harm', async () => {
  const rows = JSON.parse('[{"__proto__":"a","constructor":"b"},{},{"constructor":{"x":[1]}}]') as Record<
    string,
    unknown
  >[]
  const columns = [{ key: '__proto__' }, { key: 'constructor' }, { key: 'toString' }]
  const found = readWithSheetJs(await workbook({ columns, rows }))['Orders']!
  expect(found).toEqual([
    ['__proto__', 'constructor', 'toString'],
    ['a', 'b', null],
    [null, null, null],
    [null, '{"x":[1]}', null],
  ])
})

test('no column, and more columns than a sheet has, are refused', async () => {
  const from = (count: number): RowsExport => ({
    columns: Array.from({ length: count }, (_, i) => ({ key: `c${i}` })),
    rows: [],
  })
  expect(await refusal(workbook(from(0)), 'bad_view')).toBe('There is no column to export. Show at least one.')
  expect(await refusal(workbook(from(16_385)), 'too_large')).toContain('at most 16384 columns')
  expect(readWithSheetJs(await workbook(from(16_384)))['Orders']![0]!.at(-1)).toBe('c16383')
})

test('it ends in the middle when it is stopped', async () => {
  const stop = new AbortController()
  const rows = Array.from({ length: 20_000 }, (_, i) => ({ a: `row ${i}` }))
  const { bytes } = await exportTable(stage.tables, { columns: [{ key: 'a' }], rows }, options(), stop.signal)
  const reading = (async () => {
    for await (const _ of bytes) stop.abort()
  })()
  expect(await refusal(reading, 'cancelled')).toBe('It was stopped.')
})

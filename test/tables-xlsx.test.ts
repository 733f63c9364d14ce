import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { say } from '../server/kernel/sentence.ts'
import type { TableCell } from '../server/tables/shape/table-shape.ts'
import { escapeXml, STRICT, textRows, xlsxBytes, type RawBook } from './stage/documents/spreadsheet-bytes.ts'
import { cells, openTablesStage, refusal, source, type TablesStage } from './stage/documents/tables-stage.ts'

let stage: TablesStage
beforeAll(async () => {
  stage = await openTablesStage()
})
afterAll(() => stage[Symbol.asyncDispose]())

const read = (book: RawBook, sheet?: string) => stage.read(source('t.xlsx', xlsxBytes(book)), undefined, sheet)
/** One row of cells under labels that are texts. */
async function row(data: string, book: Partial<RawBook> = {}): Promise<TableCell[]> {
  const labels = textRows([['a', 'b', 'c', 'd', 'e', 'f']])
  const page = await read({ sheets: [{ name: 'S', data: `${labels}<row r="2">${data}</row>` }], ...book })
  return cells(page)[0] ?? []
}

describe('cells', () => {
  test('of every kind, as the file says what they are', async () => {
    const strings =
      '<si><t>shared</t></si><si><r><t>ri</t></r><r><rPr><b/></rPr><t xml:space="preserve">ch </t></r><rPh><t>rubi</t></rPh></si>'
    const data =
      '<c r="A2" t="s"><v>1</v></c><c r="B2" t="b"><v>1</v></c><c r="C2"><v>1.1000000000000001</v></c><c r="D2" t="e"><v>#N/A</v></c><c r="E2" t="str"><f>A1&amp;B1</f><v>a&amp;b</v></c><c r="F2"><f>1+1</f><v>2</v></c>'
    expect(await row(data, { strings })).toEqual(['rich ', true, 1.1, '#N/A', 'a&b', 2])
  })

  test('texts keep their blanks, line ends, entities and escapes', async () => {
    const texts = ['  two  ', 'a\nb', '<&>"\'', '_x0041_ _x005F_x0041_', '007', '=1+1']
    const data = texts.map((text) => `<c t="inlineStr"><is><t>${escapeXml(text)}</t></is></c>`).join('')
    expect(await row(data)).toEqual(['  two  ', 'a\nb', '<&>"\'', 'A _x0041_', '007', '=1+1'])
    expect(
      await row('<c t="str"><v>&#x41;&#66;&#x1F600;&unknown;</v></c><c t="str"><v><![CDATA[a<b&amp;]]>c&amp;</v></c>'),
    ).toEqual(['AB😀&unknown;', 'a<b&amp;c&', null, null, null, null])
  })

  test('digits that are text stay text; more digits than a double holds are kept; other numbers are the double that is meant', async () => {
    const page = await read({
      sheets: [
        {
          name: 'S',
          data: `${textRows([['text', 'whole', 'mixed', 'small']])}<row><c t="str"><v>12</v></c><c><v>12345678901234567890</v></c><c><v>5</v></c><c><v>1E-3</v></c></row><row><c t="str"><v>13</v></c><c><v>9007199254740993</v></c><c t="str"><v>5</v></c><c><v>-0.50</v></c></row>`,
        },
      ],
    })
    expect(page.columns.map(({ type }) => type)).toEqual(['text', 'integer', 'text', 'number'])
    expect(cells(page)).toEqual([
      ['12', '12345678901234567890', '5', 0.001],
      ['13', '9007199254740993', '5', -0.5],
    ])
  })

  test('cells without addresses stand one behind the other; those with one where it says, however far', async () => {
    const page = await read({
      sheets: [
        {
          name: 'S',
          data: `<row><c><v>1</v></c><c><v>2</v></c><c r="XFD1"><v>3</v></c></row><row r="1048576"><c r="B1048576"><v>4</v></c></row>`,
        },
      ],
    })
    expect(page.columns.map(({ label }) => label)).toEqual(['Column A', 'Column B', 'Column XFD'])
    expect(cells(page)).toEqual([
      [1, 2, 3],
      [null, 4, null],
    ])
    expect(page.notices.map(String)).toEqual(['Empty rows between others that were left out: 1048574.'])
  })

  test('a formula without a result is empty, and so is a text that is missing; both are told', async () => {
    const data = `${textRows([['a', 'b']])}<row><c><f>1+1</f></c><c t="s"><v>7</v></c></row><row><c><v>1</v></c></row>`
    const page = await read({ sheets: [{ name: 'S', data }] })
    expect(cells(page)).toEqual([[1, null]])
    expect(page.notices.join(' ')).toMatch(/stored result, .*: 1\. .* missing from the file: 1\./)
  })

  test('merged cells: the value stands in the first', async () => {
    const page = await read({
      sheets: [
        {
          name: 'S',
          data: textRows([
            ['a', 'b'],
            ['x', ''],
            ['', 'y'],
          ]),
          after: '<mergeCells><mergeCell ref="A2:B2"/></mergeCells>',
        },
      ],
    })
    expect(cells(page)).toEqual([
      ['x', null],
      [null, 'y'],
    ])
    expect(page.notices.map(String)).toEqual(['Merged areas, each with its value in its first cell: 1.'])
  })
})

describe('days and times', () => {
  const formats = ['yyyy-mm-dd', 'dd/mm/yyyy hh:mm:ss', 'h:mm AM/PM', '[h]:mm:ss', '0.00 "days"', 14]
  const styled = (values: readonly (string | number)[]): string =>
    values.map((value, i) => `<c s="${i + 1}"><v>${value}</v></c>`).join('')

  test.each<[string, readonly number[], TableCell[]]>([
    [
      'usual',
      [46053, 46053.354166666664, 0.75, 1.25, 3, 46053],
      ['2026-01-31', '2026-01-31T08:30:00', '18:00:00', '30:00:00', 3, '2026-01-31'],
    ],
    [
      'the first day',
      [1, 1.5, 0, 0, 0, 59],
      ['1900-01-01', '1900-01-01T12:00:00', '00:00:00', '00:00:00', 0, '1900-02-28'],
    ],
    [
      'the day that never was',
      [60, 61, 0.999988425925926, 100, 0, 2958465],
      ['1900-02-29', '1900-03-01T00:00:00', '23:59:59', '2400:00:00', 0, '9999-12-31'],
    ],
    [
      'what is no day',
      [-1, 2958466, 1.5, -0.5, 1, 1.5],
      [-1, 2958466, '1900-01-01T12:00:00', '-12:00:00', 1, '1900-01-01T12:00:00'],
    ],
    [
      'fractions of a second',
      [1, 46053.00000578704, 1 / 172_800, 0, 0, 1],
      ['1900-01-01', '2026-01-31T00:00:00.500', '00:00:00.500', '00:00:00', 0, '1900-01-01'],
    ],
  ])('%s', async (_what, values, expected) => {
    expect(await row(styled(values), { formats })).toEqual(expected)
  })

  test('counted from 1904', async () => {
    expect(
      await row(styled([0, 44591.5, 0.5, 0.5, 1, 60]), { formats, workbookPr: '<workbookPr date1904="1"/>' }),
    ).toEqual(['1904-01-01', '2026-01-31T12:00:00', '12:00:00', '12:00:00', 1, '1904-03-01'])
  })

  test('written as text, in the strict edition of the standard', async () => {
    const data =
      '<c t="d" s="1"><v>2026-01-31T00:00:00.000</v></c><c t="d" s="2"><v>2026-01-31T08:30</v></c><c t="d" s="3"><v>T08:30:00</v></c>'
    expect(await row(data, { formats, base: STRICT })).toEqual([
      '2026-01-31',
      '2026-01-31T08:30:00',
      '08:30:00',
      null,
      null,
      null,
    ])
  })

  test('a column of days and of times is one of times', async () => {
    const page = await read({
      sheets: [
        {
          name: 'S',
          data: `${textRows([['when']])}<row><c s="1"><v>46053</v></c></row><row><c s="1"><v>46053.5</v></c></row>`,
        },
      ],
      formats,
    })
    expect(page.columns[0]!.type).toBe('datetime')
    expect(cells(page)).toEqual([['2026-01-31T00:00:00'], ['2026-01-31T12:00:00']])
  })
})

describe('sheets', () => {
  test('hidden ones come last, with a notice; empty ones and charts do no harm', async () => {
    const book: RawBook = {
      sheets: [
        { name: 'secret', data: textRows([['s'], ['1']]), state: 'veryHidden' },
        { name: 'A & B', data: textRows([['a'], ['x']]) },
        { name: 'nothing', data: '' },
      ],
    }
    const page = await read(book)
    expect(page.sheets).toEqual(['A & B', 'nothing', 'secret'])
    expect(cells(page)).toEqual([['x']])
    expect((await read(book, 'secret')).notices.map(String)).toEqual(['This sheet is hidden in the file.'])
    expect(await read(book, 'nothing')).toMatchObject({ total_rows: 0, notices: [say`This sheet is empty.`] })
  })

  test.each<[string, string[][], string[], TableCell[][]]>([
    [
      'labels over values',
      [
        ['id', 'name'],
        ['1', 'x'],
      ],
      ['id', 'name'],
      [['1', 'x']],
    ],
    [
      'a title above the labels',
      [
        ['Sales of 2026', ''],
        ['', ''],
        ['id', 'name'],
        ['1', 'x'],
      ],
      ['id', 'name'],
      [['1', 'x']],
    ],
    [
      'the same texts again below: no labels',
      [
        ['x', 'y'],
        ['x', 'z'],
      ],
      ['Column A', 'Column B'],
      [
        ['x', 'y'],
        ['x', 'z'],
      ],
    ],
  ])('%s', async (_what, rows, labels, expected) => {
    const page = await read({ sheets: [{ name: 'S', data: textRows(rows) }] })
    expect(page.columns.map(({ label }) => label)).toEqual(labels)
    expect(cells(page)).toEqual(expected)
  })

  test('any prefix, quotes of both kinds, parts of other names and UTF-16', async () => {
    const book = xlsxBytes({
      sheets: [{ name: 'S', data: '' }],
      parts: {
        '_rels/.rels': null,
        'xl/workbook.xml': null,
        'XL/Workbook.xml': `<x:workbook xmlns:x="m" xmlns:rr="r"><x:sheets><x:sheet name='a>b' sheetId='1' rr:id='rId1' /></x:sheets></x:workbook>`,
        'xl/worksheets/sheet1.xml': Buffer.from(
          `\uFEFF<?xml version="1.0" encoding="UTF-16"?><!-- <c> --><x:worksheet><x:sheetData ><x:row r = '1'><x:c\n r='B1' t = "str" ><x:v>é東</x:v></x:c ></x:row></x:sheetData></x:worksheet>`,
          'utf16le',
        ),
      },
    })
    const page = await stage.read(source('t.xlsm', book))
    expect(page.sheets).toEqual(['a>b'])
    expect(page.columns.map(({ label }) => label)).toEqual(['é東'])
  })

  test('the first rows come straight from the file, with no more texts than they need', async () => {
    const rows = Array.from({ length: 5000 }, (_, i) => `<row><c t="s"><v>${i}</v></c><c><v>${i}</v></c></row>`)
    const strings = Array.from(
      { length: 5000 },
      (_, i) => `<si><t>${i % 3 === 0 && i > 0 && i < 900 ? '' : `text ${i}`}</t></si>`,
    ).join('')
    const book = {
      sheets: [
        { name: 'first', data: '' },
        { name: 'S', data: rows.join('') },
      ],
      strings,
    }
    const preview = await stage.tables.preview(source('t.xlsx', xlsxBytes(book)), { sheet: 's', rows: 300 })
    expect(preview).toMatchObject({ sheets: ['first', 'S'], sheet: 'S', total_rows: null })
    expect(preview.rows).toEqual(
      (await stage.tables.page(source('t.xlsx', xlsxBytes(book)), { sheet: 'S', page: 1, page_size: 300 })).rows,
    )
  })
})

test('a workbook without cells is told apart from one without sheets', async () => {
  expect(await read({ sheets: [{ name: 'S', data: '' }] })).toMatchObject({
    total_rows: 0,
    notices: [say`This sheet is empty.`],
  })
  expect(await refusal(read({ sheets: [] }), 'unreadable')).toMatch(/no sheets/)
})

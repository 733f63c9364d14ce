import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { WorkBook } from 'xlsx'
import { textRows, xlsxBytes } from './stage/documents/spreadsheet-bytes.ts'
import { cells, openTablesStage, refusal, source, type TablesStage } from './stage/documents/tables-stage.ts'
import { zipBytes } from './stage/documents/zip-bytes.ts'
import { xlsx } from './stage/documents/sheet-js.ts'

/** Files of real programs that were refused, or read with other values than they hold. */
let stage: TablesStage
beforeAll(async () => {
  stage = await openTablesStage()
})
afterAll(() => stage[Symbol.asyncDispose]())

const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const TABLE = [
  ['name', 'n'],
  ['x', '1'],
]

describe('values', () => {
  const day =
    '<row r="1"><c r="A1" t="inlineStr"><is><t>day</t></is></c></row><row r="2"><c r="A2" s="1"><v>40000</v></c></row>'

  test('the calendar from 1904 stays when an extension of newer programs follows', async () => {
    const workbookPr = '<workbookPr date1904="1"/><x15:workbookPr chartTrackingRefBase="1"/>'
    const file = xlsxBytes({ sheets: [{ name: 'S', data: day }], formats: ['yyyy-mm-dd'], workbookPr })
    expect(cells(await stage.read(source('t.xlsx', file)))).toEqual([['2013-07-07']])
  })

  test('a format of conditional formatting does not change the dates of cells', async () => {
    const styles = `<styleSheet xmlns="${MAIN}"><numFmts count="0"/><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs><dxfs><dxf><numFmt numFmtId="14" formatCode="0.00"/></dxf></dxfs></styleSheet>`
    const file = xlsxBytes({ sheets: [{ name: 'S', data: day }], parts: { 'xl/styles.xml': styles } })
    expect(cells(await stage.read(source('t.xlsx', file)))).toEqual([['2009-07-06']])
  })

  test('times with a zone keep microseconds', async () => {
    const rows = ['2024-05-06T07:08:09.123456+02:00', '2024-05-06 07:08:09.5Z', '2024-05-06 07:08:09+00']
    const page = await stage.read(source('t.csv', `t\n${rows.join('\n')}\n`))
    expect(page.columns[0]?.type).toBe('datetime')
    expect(cells(page)).toEqual([
      ['2024-05-06T05:08:09.123456Z'],
      ['2024-05-06T07:08:09.500Z'],
      ['2024-05-06T07:08:09.000Z'],
    ])
  })

  test('integers of 16 digits and more are numbers where a double holds each of them', async () => {
    const numbers = [
      '9007199254740991',
      '9999999999999998',
      '12345678901234568',
      '9007199254740993',
      '12345678901234567000',
    ]
    const data = numbers.map((n, i) => `<row r="${i + 2}"><c r="A${i + 2}"><v>${n}</v></c></row>`).join('')
    const file = xlsxBytes({ sheets: [{ name: 'S', data: `${textRows([['n']])}${data}` }] })
    for (const page of [
      await stage.read(source('t.xlsx', file)),
      await stage.read(source('t.csv', `n\n${numbers.join('\n')}\n`)),
    ])
      expect(cells(page)).toEqual([
        [9007199254740991],
        [9999999999999998],
        [12345678901234568],
        ['9007199254740993'],
        ['12345678901234567000'],
      ])
  })

  test('XLS of Apple Numbers, which writes formulas under the number of an older version', async () => {
    const book = { SheetNames: ['S'], Sheets: { S: xlsx.utils.aoa_to_sheet([['sum'], [0.1 + 0.2]]) } }
    const bytes = xls(book)
    // A number and the result of a formula stand in the same place of their records.
    const number = Buffer.from([0x03, 0x02, 0x0e, 0x00, 0x01, 0x00, 0x00, 0x00])
    bytes.writeUInt16LE(0x406, bytes.indexOf(number))
    expect(cells(await stage.read(source('t.xls', bytes)))).toEqual([[0.1 + 0.2]])
  })
})

const xls = (book: WorkBook): Buffer => xlsx.write(book, { bookType: 'biff8', type: 'buffer', bookSST: true }) as Buffer
describe('readable all the same', () => {
  test.each([
    [
      'xlsx',
      xlsxBytes({
        sheets: [
          {
            name: 'S',
            data: textRows([
              ['a\rb', 'c\r\nd'],
              ['x', 'y'],
            ]).replaceAll('\r', '&#13;'),
          },
        ],
      }),
    ],
    [
      'xls',
      xls({
        SheetNames: ['S'],
        Sheets: {
          S: xlsx.utils.aoa_to_sheet([
            ['a\rb', 'c\r\nd'],
            ['x', 'y'],
          ]),
        },
      }),
    ],
    ['csv', Buffer.from('"a\rb","c\r\nd"\nx,y\n')],
  ])('a carriage return in the first row of %s', async (ending, bytes) => {
    const page = await stage.read(source(`t.${ending}`, bytes))
    expect(page.columns.map(({ key }) => key)).toEqual(['a b', 'c d'])
    expect(cells(page)).toEqual([['x', 'y']])
  })

  test('and in the first row below the header', async () => {
    const data = textRows([
      ['name', 'n'],
      ['1\r2', 'y'],
      ['z', 'w'],
    ]).replaceAll('\r', '&#13;')
    expect(cells(await stage.read(source('t.xlsx', xlsxBytes({ sheets: [{ name: 'S', data }] }))))[0]).toEqual([
      '1\r2',
      'y',
    ])
  })

  test('an empty text as the first of the shared ones', async () => {
    const data =
      '<row r="1"><c r="A1" t="s"><v>1</v></c></row><row r="2"><c r="A2" t="s"><v>2</v></c><c r="B2" t="s"><v>0</v></c></row>'
    const strings = '<si><t></t></si><si><t>name</t></si><si><t>x</t></si>'
    expect(cells(await stage.read(source('t.xlsx', xlsxBytes({ sheets: [{ name: 'S', data }], strings }))))).toEqual([
      ['x'],
    ])
  })

  test('a workbook of which one sheet is missing; of which all are, it is refused', async () => {
    const sheets = [
      { name: 'Gone', data: '' },
      { name: 'Here', data: textRows(TABLE) },
    ]
    const file = source('t.xlsx', xlsxBytes({ sheets, parts: { 'xl/worksheets/sheet1.xml': null } }))
    const gone = await stage.read(file)
    expect([gone.rows, gone.sheets]).toEqual([[], ['Gone', 'Here']])
    expect(gone.notices.join()).toContain('does not contain it')
    expect(cells(await stage.read(file, {}, 'Here'))).toEqual([['x', '1']])
    expect((await stage.tables.preview(file, { rows: 5 })).notices.join()).toContain('does not contain it')
    const none = xlsxBytes({ sheets: sheets.slice(0, 1), parts: { 'xl/worksheets/sheet1.xml': null } })
    expect(await refusal(stage.read(source('t.xlsx', none)), 'unreadable')).toContain('none of its sheets')
  })

  test.each(['BOOK', 'WORKBOOK', 'book'])('XLS whose stream is called %s', async (name) => {
    const book = xls({
      SheetNames: ['S'],
      Sheets: {
        S: xlsx.utils.aoa_to_sheet([
          ['name', 'n'],
          ['x', 1],
        ]),
      },
    })
    const container = xlsx.CFB.read(book, { type: 'buffer' })
    const entry = xlsx.CFB.find(container, 'Workbook')!
    const other = xlsx.CFB.utils.cfb_new()
    xlsx.CFB.utils.cfb_add(other, `/${name}`, entry.content as Buffer)
    xlsx.CFB.utils.cfb_del(other, '/\u0001Sh33tJ5')
    expect(cells(await stage.read(source('t.xls', xlsx.CFB.write(other, { type: 'buffer' }) as Buffer)))).toEqual([
      ['x', 1],
    ])
  })

  test('XLSX whose parts lie elsewhere than in xl/', async () => {
    const relations = (type: string, target: string) =>
      `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${target}"/></Relationships>`
    const main = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml'
    const file = zipBytes([
      { name: '[Content_Types].xml', data: `<Types><Override PartName="/book.xml" ContentType="${main}"/></Types>` },
      { name: '_rels/.rels', data: relations('officeDocument', 'book.xml') },
      {
        name: 'book.xml',
        data: `<workbook xmlns="${MAIN}"><sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>`,
      },
      { name: '_rels/book.xml.rels', data: relations('worksheet', 'sheets/one.xml') },
      {
        name: 'sheets/one.xml',
        data: `<worksheet xmlns="${MAIN}"><sheetData>${textRows(TABLE)}</sheetData></worksheet>`,
      },
    ])
    expect(cells(await stage.read(source('t.xlsx', file)))).toEqual([['x', '1']])
  })

  test.each([1, 7, 40_000])('%i bytes behind the end of the ZIP', async (count) => {
    const file = Buffer.concat([xlsxBytes({ sheets: [{ name: 'S', data: textRows(TABLE) }] }), Buffer.alloc(count, 10)])
    expect(cells(await stage.read(source('t.xlsx', file)))).toEqual([['x', '1']])
  })

  test.each([
    ['a list', '[{"a":1,"a":12345678901234567890,"b":"{"},\n {"b":"}\\"","a":3}]'],
    ['lines', '{"a":1,"a":12345678901234567890,"b":"{"}\n{"b":"}\\"","a":3}\n'],
  ])('JSON in %s with members named twice', async (_what, text) => {
    const page = await stage.read(source('t.json', text))
    expect(cells(page)).toEqual([
      ['12345678901234567890', '{'],
      [3, '}"'],
    ])
    expect(page.notices.join()).toContain('name a member twice')
  })
})

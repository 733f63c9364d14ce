import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { odsBytes, type RawDocument } from './stage/documents/spreadsheet-bytes.ts'
import { cells, openTablesStage, refusal, source, type TablesStage } from './stage/documents/tables-stage.ts'

let stage: TablesStage
beforeAll(async () => {
  stage = await openTablesStage()
})
afterAll(() => stage[Symbol.asyncDispose]())

const read = (document: RawDocument, sheet?: string) =>
  stage.read(source('t.ods', odsBytes(document)), undefined, sheet)
const text = (content: string, more = ''): string =>
  `<table:table-cell office:value-type="string"${more}><text:p>${content}</text:p></table:table-cell>`
const rowOf = (cellsOf: string, more = ''): string => `<table:table-row${more}>${cellsOf}</table:table-row>`
const table = (rows: string, name = 'S', more = ''): string =>
  `<table:table table:name="${name}"${more}>${rows}</table:table>`

describe('cells', () => {
  test('of every kind', async () => {
    const labels = rowOf(['f', 'p', 'c', 'd', 'dt', 't', 'b', 'e', 's'].map((label) => text(label)).join(''))
    const of = (type: string, value: string, shown = 'shown'): string =>
      `<table:table-cell office:value-type="${type}" ${value}><text:p>${shown}</text:p></table:table-cell>`
    const values = rowOf(
      of('float', 'office:value="1.5"') +
        of('percentage', 'office:value="0.5"') +
        of('currency', 'office:currency="EUR" office:value="12"') +
        of('date', 'office:date-value="2026-01-31"') +
        of('date', 'office:date-value="2026-01-31T08:30:00.500000000"') +
        of('time', 'office:time-value="PT26H30M05S"') +
        of('boolean', 'office:boolean-value="true"') +
        of('string', 'calcext:value-type="error" office:string-value=""', '#DIV/0!') +
        of('string', 'office:string-value="meant"'),
    )
    const page = await read({ tables: table(labels + values) })
    expect(cells(page)).toEqual([
      [1.5, 0.5, 12, '2026-01-31', '2026-01-31T08:30:00.500', '26:30:05', true, '#DIV/0!', 'meant'],
    ])
    expect(page.notices.map(String)).toEqual(['Cells that hold an error instead of a result: 1.'])
  })

  test('texts with blanks, tabs, lines, parts and links, without notes and drawings', async () => {
    const note = '<office:annotation><text:p>a note</text:p></office:annotation>'
    const rich = `<table:table-cell>${note}<text:p>a<text:s text:c="3"/>b<text:tab/>c <text:span>bold</text:span><text:line-break/><text:a>li&amp;nk</text:a></text:p><text:p>second  line</text:p><draw:frame xmlns:draw="d"><text:p>drawn</text:p></draw:frame></table:table-cell>`
    const page = await read({ tables: table(rowOf(text('label')) + rowOf(rich) + rowOf(text(' kept '))) })
    expect(cells(page)).toEqual([['a   b\tc bold\nli&nk\nsecond line'], [' kept ']])
  })

  test('repeated cells and rows, merged ones, rows in groups', async () => {
    const rows =
      `<table:table-header-rows>${rowOf(text('a') + text('b') + text('c'))}</table:table-header-rows>` +
      `<table:table-row-group>${rowOf(text('x', ' table:number-columns-repeated="2"') + text('y'), ' table:number-rows-repeated="3"')}</table:table-row-group>` +
      rowOf('<table:table-cell table:number-columns-repeated="16384"/>', ' table:number-rows-repeated="1048000"') +
      rowOf(`${text('m', ' table:number-columns-spanned="2"')}<table:covered-table-cell/>${text('z')}`)
    const page = await read({ tables: table(rows) })
    expect(cells(page)).toEqual([
      ['x', 'x', 'y'],
      ['x', 'x', 'y'],
      ['x', 'x', 'y'],
      ['m', null, 'z'],
    ])
    expect(page.notices.map(String)).toEqual([
      'Merged areas, each with its value in its first cell: 1.',
      'Empty rows between others that were left out: 1048000.',
    ])
  })
})

test('sheets: hidden ones last; what stands besides them is no cell', async () => {
  const document: RawDocument = {
    styles:
      '<style:style style:name="ta2" style:family="table"><style:table-properties table:display="false"/></style:style>',
    tables: `<table:tracked-changes><table:table-cell><text:p>old</text:p></table:table-cell></table:tracked-changes>${table(rowOf(text('h')) + rowOf(text('1')), 'secret', ' table:style-name="ta2"')}${table(`<table:shapes><table:table table:name="inner">${rowOf(text('no'))}</table:table></table:shapes>${rowOf(text('v'))}${rowOf(text('2'))}`, 'seen')}`,
  }
  const page = await read(document)
  expect(page.sheets).toEqual(['seen', 'secret'])
  expect(cells(page)).toEqual([['2']])
  expect((await read(document, 'secret')).notices.map(String)).toEqual(['This sheet is hidden in the file.'])
})

test('prefixes as the document declares them', async () => {
  const content =
    '<o:document-content xmlns:o="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:t="urn:oasis:names:tc:opendocument:xmlns:table:1.0" xmlns:x="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><o:body><o:spreadsheet><t:table t:name="S"><t:table-row><t:table-cell><x:p>l</x:p></t:table-cell></t:table-row><t:table-row><t:table-cell o:value-type="float" o:value="7"><x:p>seven</x:p></t:table-cell></t:table-row></t:table></o:spreadsheet></o:body></o:document-content>'
  expect(cells(await read({ tables: '', parts: { 'content.xml': content } }))).toEqual([[7]])
})

test('the first rows come straight from the file', async () => {
  const many = Array.from({ length: 3000 }, (_, i) => rowOf(text(`row ${i}`))).join('')
  const file = source('t.ods', odsBytes({ tables: table(rowOf(text('first')), 'A') + table(many, 'B') }))
  expect(await stage.tables.preview(file, { sheet: 'b', rows: 100 })).toMatchObject({
    sheets: ['A', 'B'],
    sheet: 'B',
    total_rows: null,
  })
})

describe('refused', () => {
  const whole = 'table:number-columns-repeated="16384"'
  test.each<[string, RawDocument, 'unreadable' | 'too_large', RegExp]>([
    [
      'cells repeated for ever',
      { tables: table(rowOf(text('x', ' table:number-columns-repeated="2000000000"'))) },
      'too_large',
      /more than 4000 columns/,
    ],
    [
      'rows of many cells repeated for ever',
      {
        tables: table(
          rowOf(
            text('x'.repeat(2000), ' table:number-columns-repeated="3000"'),
            ' table:number-rows-repeated="1000000000"',
          ),
        ),
      },
      'too_large',
      /more than 4000000 characters/,
    ],
    [
      'a password',
      {
        tables: '',
        manifest: '<m:manifest xmlns:m="m"><m:file-entry><m:encryption-data/></m:file-entry></m:manifest>',
      },
      'unreadable',
      /password/,
    ],
    ['no content', { tables: '', parts: { 'content.xml': null } }, 'unreadable', /"content.xml" is missing/],
    ['no sheets', { tables: '' }, 'unreadable', /no sheets/],
    ['cut off', { tables: '', parts: { 'content.xml': `<a><b ${whole}>` } }, 'unreadable', /cut off or damaged/],
    [
      'a document type',
      { tables: '', parts: { 'content.xml': '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>' } },
      'unreadable',
      /document type/,
    ],
  ])('%s', async (_what, document, code, sentence) => {
    expect(await refusal(read(document), code)).toMatch(sentence)
  })

  test('one row repeated beyond the last possible one: cut, and told', { timeout: 120_000 }, async () => {
    const page = await read({ tables: table(rowOf(text('x'), ' table:number-rows-repeated="2000000000"')) })
    expect(page.total_rows).toBe(1_048_576)
    expect(page.notices.map(String)).toEqual(['Repeated rows beyond the last possible row, left out: 1998951424.'])
  })
})

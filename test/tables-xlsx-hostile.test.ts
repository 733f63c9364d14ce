import { deflateRawSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { textRows, xlsxBytes, type RawBook } from './stage/documents/spreadsheet-bytes.ts'
import { cells, openTablesStage, refusal, source, type TablesStage } from './stage/documents/tables-stage.ts'
import { zipBytes } from './stage/documents/zip-bytes.ts'

let stage: TablesStage
beforeAll(async () => {
  stage = await openTablesStage()
})
afterAll(() => stage[Symbol.asyncDispose]())

const SHEET = 'xl/worksheets/sheet1.xml'
const GOOD: RawBook = {
  sheets: [
    {
      name: 'S',
      data: textRows([
        ['a', 'b'],
        ['x', 'y'],
      ]),
    },
  ],
  strings: '<si><t>s</t></si>',
}
const book = (parts: RawBook['parts']): Buffer => xlsxBytes({ ...GOOD, parts })
const sheet = (data: string): Buffer => book({ [SHEET]: `<worksheet><sheetData>${data}</sheetData></worksheet>` })

/** A file of the older container with streams of these names. */
function compound(...names: string[]): Buffer {
  const bytes = Buffer.alloc(512 * 3, 0xff)
  bytes.fill(0, 0, 76)
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(bytes)
  bytes.writeUInt16LE(9, 30)
  bytes.writeUInt32LE(1, 48)
  bytes.writeUInt32LE(0, 76)
  bytes.writeUInt32LE(0xfffffffe, 512 + 4)
  bytes.fill(0, 1024)
  for (const [i, name] of ['Root Entry', ...names].entries()) {
    bytes.write(name, 1024 + i * 128, 'utf16le')
    bytes.writeUInt16LE((name.length + 1) * 2, 1024 + i * 128 + 64)
  }
  return bytes
}

test.each<[string, () => Buffer, 'unreadable' | 'too_large' | 'unsupported', RegExp]>([
  ['a password', () => compound('EncryptionInfo', 'EncryptedPackage'), 'unreadable', /protected by a password/],
  ['a workbook from before 2007 without its content', () => compound('Workbook'), 'unreadable', /holds no workbook/],
  [
    'a document of another program in the old container',
    () => compound('WordDocument'),
    'unsupported',
    /not a table that can be read/,
  ],
  ['a cut container', () => compound('Workbook').subarray(0, 300), 'unsupported', /not a table that can be read/],
  ['a binary workbook', () => zipBytes([{ name: 'xl/workbook.bin', data: 'x' }]), 'unsupported', /XLSB/],
  [
    'a zip of something else',
    () => zipBytes([{ name: 'word/document.xml', data: '<a/>' }]),
    'unsupported',
    /not a table/,
  ],
  ['no zip at all', () => Buffer.from('PK\x03\x04 and then nothing'), 'unreadable', /cut off or damaged/],
  ['cut in the middle', () => book({}).subarray(0, 900), 'unreadable', /cut off or damaged/],
  [
    'a path that leads out',
    () =>
      zipBytes([
        { name: 'xl/workbook.xml', data: '<a/>' },
        { name: '../../evil', data: '' },
      ]),
    'unreadable',
    /damaged/,
  ],
  ['no workbook', () => book({ 'xl/workbook.xml': null }), 'unreadable', /no workbook inside/],
  ['no sheet part', () => book({ [SHEET]: null }), 'unreadable', /none of its sheets/],
  [
    'a sheet that is cut off',
    () => book({ [SHEET]: '<worksheet><sheetData><row><c><v>1</v>' }),
    'unreadable',
    /cut off or damaged/,
  ],
  ['a sheet that is no XML', () => book({ [SHEET]: 'just words' }), 'unreadable', /cut off or damaged/],
  ['a sheet without anything', () => book({ [SHEET]: '' }), 'unreadable', /cut off or damaged/],
  ['tags that do not match', () => book({ [SHEET]: '<a></a></b></c>' }), 'unreadable', /do not match/],
  [
    'a billion laughs',
    () =>
      book({
        [SHEET]:
          '<!DOCTYPE w [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><worksheet><sheetData><row><c t="str"><v>&b;</v></c></row></sheetData></worksheet>',
      }),
    'unreadable',
    /document type declaration/,
  ],
  [
    'a document type in the workbook',
    () => book({ 'xl/workbook.xml': '<!DOCTYPE w SYSTEM "file:///etc/passwd"><w/>' }),
    'unreadable',
    /document type/,
  ],
  [
    'a column that cannot be',
    () => sheet('<row><c r="ZZZZ1"><v>1</v></c></row>'),
    'unreadable',
    /beyond the last possible column/,
  ],
  [
    'a column of very many letters',
    () => sheet(`<row><c r="${'Z'.repeat(500)}1"><v>1</v></c></row>`),
    'unreadable',
    /beyond the last possible column/,
  ],
  ['5,000 columns', () => sheet(`<row>${'<c><v>1</v></c>'.repeat(5000)}</row>`), 'too_large', /more than 4000 columns/],
  ['a tag without an end', () => sheet(`<row><c a="${'x'.repeat(3_000_000)}`), 'too_large', /too long/],
  [
    'a text of 40 million characters',
    () => sheet(`<row><c t="str"><v>${'x'.repeat(40_000_000)}`),
    'too_large',
    /too long/,
  ],
  [
    'a row of 6 million characters',
    () => sheet(`<row><c t="str"><v>${'x'.repeat(6_000_000)}</v></c></row>`),
    'too_large',
    /more than 4000000 characters/,
  ],
  [
    '30,000 parts',
    () => zipBytes(Array.from({ length: 30_000 }, (_, i) => ({ name: `xl/${i}`, data: '' }))),
    'too_large',
    /30000 parts/,
  ],
  [
    'an encrypted entry',
    () => zipBytes([{ name: 'xl/workbook.xml', data: '<a/>', flags: 0x801 }]),
    'unreadable',
    /password/,
  ],
  [
    'a flipped bit',
    () => zipBytes([{ name: 'xl/workbook.xml', data: '<workbook><sheets/></workbook>', crc: 1 }]),
    'unreadable',
    /damaged/,
  ],
])('%s: refused with a sentence', { timeout: 120_000 }, async (_what, bytes, code, sentence) => {
  expect(await refusal(stage.read(source('t.xlsx', bytes())), code)).toMatch(sentence)
})

test('a bomb is stopped long before it is unpacked', { timeout: 120_000 }, async () => {
  // 1.2 GB of empty cells in 1.5 MB, made of equal pieces that can follow each other.
  const cellsOnly = Buffer.alloc(8 * 1024 * 1024, '<c/>')
  const piece = deflateRawSync(cellsOnly, { finishFlush: 2 })
  const packed = Buffer.concat([...Array.from({ length: 150 }, () => piece), deflateRawSync('')])
  const parts = {
    'xl/_rels/workbook.xml.rels': '<r><Relationship Id="a" Type="t/worksheet" Target="s.xml"/></r>',
    'xl/workbook.xml': '<w><sheet name="S" r:id="a"/></w>',
  }
  const entries = Object.entries(parts).map(([name, data]) => ({ name, data }))
  const bytes = zipBytes([...entries, { name: 'xl/s.xml', packed, method: 8, size: 150 * cellsOnly.length }])
  expect(await refusal(stage.read(source('bomb.xlsx', bytes)), 'too_large')).toMatch(/unpacks to far more/)
})

test('what is only odd is read', async () => {
  const odd =
    '<row r="5"/><row r="x"><c r=""/><c r="A1" t="zzz" s="9999"><v>1</v></c><c r="A1"><v> 2 </v></c><c t="s"><v>-1</v></c><c t="s"><v>1e9</v></c><c t="b"><v>no</v></c><c t="s"><v>0.5</v></c><c t="s"><v>x</v></c></row><row></row>'
  const page = await stage.read(source('t.xlsx', sheet(odd)))
  expect(cells(page)).toEqual([[2, false]])
})

test('styles and shared texts may be missing', async () => {
  const data = `${textRows([['a', 'b']])}<row><c s="3"><v>1</v></c><c t="s"><v>0</v></c></row>`
  const bytes = xlsxBytes({
    sheets: [{ name: 'S', data }],
    parts: { 'xl/styles.xml': null, 'xl/sharedStrings.xml': null },
  })
  const page = await stage.read(source('t.xlsx', bytes))
  expect(cells(page)).toEqual([[1, null]])
})

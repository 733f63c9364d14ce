import { inflateRawSync } from 'node:zlib'
import { fromRandomAccessReader, RandomAccessReader } from 'yauzl'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import type { ExportPlan, ExportRow } from '../server/tables/shape/export-plan.ts'
import { writeWorkbook } from '../server/tables/export/write-workbook.ts'
import { directory, type ZipEntry } from '../server/tables/export/zip-records.ts'
import {
  collect,
  countWithOpenpyxl,
  noLibreOffice,
  noOpenpyxl,
  readWithLibreOffice,
  readWithSheetJs,
} from './stage/documents/workbook-readers.ts'

const PLAN: ExportPlan = {
  title: 'Many rows',
  columns: [
    { key: 'n', label: 'Number', type: 'integer', cast: null },
    { key: 't', label: 'Text', type: 'text', cast: null },
  ],
  presentation: {},
  origin: [],
  by: 'Ann',
  at: '2026-11-21T06:07:08.000Z',
  notices: [],
}

// oxlint-disable-next-line typescript/require-await
async function* rowsOf(count: number): AsyncGenerator<ExportRow[]> {
  for (let from = 0; from < count; from += 5000)
    yield Array.from({ length: Math.min(5000, count - from) }, (_, i): ExportRow => [
      from + i,
      (from + i) % 3 === 0 ? null : 'x',
    ])
}

test('rows beyond the limit go on in further sheets, each with its header', async () => {
  const bytes = await collect(writeWorkbook(PLAN, [{ plan: PLAN, batches: rowsOf(25) }], 10))
  const sheets = readWithSheetJs(bytes)
  expect(Object.keys(sheets)).toEqual(['Many rows', 'Many rows 2', 'Many rows 3', 'Provenance'])
  expect(sheets['Many rows']!.slice(0, 2)).toEqual([
    ['Number', 'Text'],
    [0, null],
  ])
  expect(sheets['Many rows']!.at(-1)).toEqual([9, null])
  expect(sheets['Many rows 2']!.slice(0, 2)).toEqual([
    ['Number', 'Text'],
    [10, 'x'],
  ])
  expect(sheets['Many rows 3']).toHaveLength(6)
  expect(sheets['Provenance']!.at(-1)).toEqual([
    'Notice',
    'One sheet cannot hold all rows, so they continue over 3 sheets.',
  ])
  if (noOpenpyxl === null)
    expect(await countWithOpenpyxl(bytes)).toEqual([
      ['Many rows', 11],
      ['Many rows 2', 11],
      ['Many rows 3', 6],
      ['Provenance', 7],
    ])
})

test.skipIf(noLibreOffice !== null)('LibreOffice reads sheets that go on', async () => {
  const shown = await readWithLibreOffice(await collect(writeWorkbook(PLAN, [{ plan: PLAN, batches: rowsOf(3) }], 2)))
  expect(shown['Many rows']).toBe('Number,Text\n0,\n1,x\n')
  expect(shown['Many rows 2']).toBe('Number,Text\n2,x\n')
})

test('exactly as many rows as a sheet holds need no second one', async () => {
  expect(
    Object.keys(readWithSheetJs(await collect(writeWorkbook(PLAN, [{ plan: PLAN, batches: rowsOf(10) }], 10)))),
  ).toEqual(['Many rows', 'Provenance'])
})

test('1,100,000 rows are two sheets', async () => {
  const bytes = await collect(writeWorkbook(PLAN, [{ plan: PLAN, batches: rowsOf(1_100_000) }]))
  const found = entriesOf(bytes).filter(({ name }) => name.startsWith('xl/worksheets/'))
  const text = found.map(({ data }) => inflateRawSync(data).toString('latin1'))
  expect(text.map((xml) => xml.split('<row ').length - 1)).toEqual([1_048_576, 51_426, expect.any(Number)])
  expect(text[0]!.slice(-1000)).toContain(
    '<row r="1048576"><c r="A1048576" s="8"><v>1048574</v></c><c r="B1048576" t="inlineStr"><is><t>x</t></is></c></row></sheetData><autoFilter ref="A1:B1048576"/>',
  )
  expect(text[1]).toContain('<row r="2"><c r="A2" s="8"><v>1048575</v></c></row>')
})

test('a directory beyond 4 GiB is found', async () => {
  const far = 5 * 1024 ** 3
  const entry = { made: new Date(PLAN.at), crc: 1, packed: 10, size: 20 }
  const entries: ZipEntry[] = [
    { ...entry, name: 'near.xml', offset: 0 },
    { ...entry, name: 'far.xml', offset: far - 100 },
  ]
  const end = directory(entries, far)
  const reader = new (class extends RandomAccessReader {
    override _readStreamForRange(from: number, to: number): Readable {
      const bytes = Buffer.alloc(to - from)
      end.copy(bytes, Math.max(far - from, 0), Math.max(from - far, 0))
      return Readable.from([bytes])
    }
  })()
  const found = await new Promise<[string, number][]>((resolve, reject) => {
    fromRandomAccessReader(reader, far + end.length, { lazyEntries: false, autoClose: false }, (error, zip) => {
      if (error !== null) return reject(error)
      const names: [string, number][] = []
      zip.on('entry', (each: { fileName: string; relativeOffsetOfLocalHeader: number }) =>
        names.push([each.fileName, each.relativeOffsetOfLocalHeader]),
      )
      zip.on('end', () => resolve(names))
      zip.on('error', reject)
    })
  })
  expect(found).toEqual([
    ['near.xml', 0],
    ['far.xml', far - 100],
  ])
})

/** Names and packed bytes by the directory of a small archive. */
function entriesOf(bytes: Buffer): { name: string; data: Buffer }[] {
  const found: { name: string; data: Buffer }[] = []
  let at = bytes.readUInt32LE(bytes.length - 6)
  while (bytes.readUInt32LE(at) === 0x02014b50) {
    const [packed, nameLength, extra, offset] = [
      bytes.readUInt32LE(at + 20),
      bytes.readUInt16LE(at + 28),
      bytes.readUInt16LE(at + 30),
      bytes.readUInt32LE(at + 42),
    ]
    const name = bytes.toString('utf8', at + 46, at + 46 + nameLength)
    const start = offset + 30 + bytes.readUInt16LE(offset + 26) + bytes.readUInt16LE(offset + 28)
    found.push({ name, data: bytes.subarray(start, start + packed) })
    at += 46 + nameLength + extra
  }
  return found
}

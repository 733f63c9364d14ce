import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { WorkBook } from 'xlsx'
import { TableError } from '../server/tables/shape/table-error.ts'
import { cells, openTablesStage, refusal, source, type TablesStage } from './stage/documents/tables-stage.ts'
import { xlsx } from './stage/documents/sheet-js.ts'

let stage: TablesStage
beforeAll(async () => {
  stage = await openTablesStage()
})
afterAll(() => stage[Symbol.asyncDispose]())

const saved = (book: WorkBook): Buffer =>
  xlsx.write(book, { bookType: 'biff8', type: 'buffer', bookSST: true }) as Buffer

describe('XLS as another program writes it', () => {
  test('every kind of cell', async () => {
    const rows = [
      ['id', 'name', 'big', 'share', 'flag', 'day', 'moment', 'code'],
      [1, 'Zoë Ёжик 李雷 🚀', 2 ** 40, 0.1, true, 45_000, 45_000.25, '007'],
      [-2, ' blanks ', 536_870_911, -1.25, false, 1, 2.5, '012'],
      [3, 'x'.repeat(200), 536_870_912, 1e-9, true, 61, 61.75, '5'],
    ]
    const sheet = xlsx.utils.aoa_to_sheet(rows)
    for (const row of [2, 3, 4]) {
      sheet[`F${row}`].z = 'yyyy-mm-dd'
      sheet[`G${row}`].z = 'yyyy-mm-dd hh:mm:ss'
    }
    const book = xlsx.utils.book_new()
    xlsx.utils.book_append_sheet(book, sheet, 'Данные')
    xlsx.utils.book_append_sheet(book, xlsx.utils.aoa_to_sheet([['only'], ['here']]), 'Second')
    const file = source('old.xls', saved(book))
    const page = await stage.read(file)
    expect(page.sheets).toEqual(['Данные', 'Second'])
    expect(page.columns.map(({ type }) => type)).toEqual([
      'integer',
      'text',
      'integer',
      'number',
      'boolean',
      'date',
      'datetime',
      'text',
    ])
    expect(cells(page)).toEqual([
      [1, 'Zoë Ёжик 李雷 🚀', 2 ** 40, 0.1, true, '2023-03-15', '2023-03-15T06:00:00', '007'],
      [-2, ' blanks ', 536_870_911, -1.25, false, '1900-01-01', '1900-01-02T12:00:00', '012'],
      [3, 'x'.repeat(200), 536_870_912, 1e-9, true, '1900-03-01', '1900-03-01T18:00:00', '5'],
    ])
    expect(cells(await stage.read(file, {}, 'second'))).toEqual([['here']])
  })

  test('its first rows at once, and a filter', async () => {
    const rows = [['n', 'text'], ...Array.from({ length: 5000 }, (_, i) => [i, `row number ${i}`])]
    const book = xlsx.utils.book_new()
    xlsx.utils.book_append_sheet(book, xlsx.utils.aoa_to_sheet(rows), 'Data')
    const file = source('long.xls', saved(book))
    const look = await stage.tables.preview(file, { rows: 3 })
    expect(look).toMatchObject({ rows: [{ n: 0 }, { n: 1 }, { n: 2 }], total_rows: null })
    const page = await stage.read(file, { filters: [{ column: 'n', op: 'gte', value: 4999 }] })
    expect(cells(page)).toEqual([[4999, 'row number 4999']])
  })
})

describe('XLS record by record', () => {
  test('rows out of order, texts that go on in the next record, shared formulas, charts inside a sheet', async () => {
    const texts = strings([
      ['plain', false],
      ['двоe'.repeat(10), true],
      ['cut in two', false],
    ])
    const file = source(
      'made.xls',
      workbook(texts, [
        label(0, 0, 0),
        label(0, 1, 2),
        record(0x203, u16(3, 0, 0), double(4.5)),
        record(0x203, u16(1, 0, 0), double(1.5)),
        // A formula with a text for its result, behind what it shares with others.
        record(0x06, u16(1, 1, 0), Buffer.from([0, 0, 0, 0, 0, 0, 0xff, 0xff]), Buffer.alloc(8)),
        record(0x4bc, Buffer.alloc(10)),
        record(0x207, u16(2), Buffer.from([0]), Buffer.from('ab')),
        bof(0x20),
        record(0x203, u16(0, 0, 0), double(99)),
        record(0x0a),
        record(0xbd, u16(2, 0), u16(0), u32(((700 << 2) | 2) >>> 0), u16(0), u32(((-5 << 2) | 3) >>> 0), u16(1)),
        record(0x205, u16(3, 1, 0), Buffer.from([7, 1])),
        record(0xe5, u16(2)),
      ]),
    )
    const page = await stage.read(file)
    expect(page.columns.map(({ key }) => key)).toEqual(['plain', 'cut in two'])
    expect(cells(page)).toEqual([
      [1.5, 'ab'],
      [700, '-0.05'],
      [4.5, '#DIV/0!'],
    ])
    expect(page.notices.join(' ')).toContain('first cell: 2.')
  })

  test.each<[string, Buffer, TableError['code'], RegExp]>([
    ['one of before 1997', workbook(strings([]), [], 0x500), 'unsupported', /older than Excel 97/],
    ['one under a password', workbook(record(0x2f, Buffer.alloc(6)), []), 'unreadable', /password/],
    ['one without sheets', container(Buffer.concat([bof(5), record(0x0a)])), 'unreadable', /no sheets/],
    ['a cell that is cut off', workbook(strings([]), [record(0x203, u16(0, 0, 0))]), 'unreadable', /cut off/],
  ])('%s is refused', async (_what, bytes, code, why) => {
    expect(await refusal(stage.read(source('bad.xls', bytes)), code)).toMatch(why)
  })

  test('whatever is done to its bytes, it is read or refused', async () => {
    const sheet = xlsx.utils.aoa_to_sheet([['a', 'b'], ...Array.from({ length: 40 }, (_, i) => [i, `text ${i}`])])
    const book = xlsx.utils.book_new()
    xlsx.utils.book_append_sheet(book, sheet, 'Data')
    const whole = saved(book)
    let seed = 7
    const random = (end: number): number => (seed = (seed * 48_271) % 2_147_483_647) % end
    for (let n = 0; n < 60; n++) {
      const bytes = Buffer.from(whole)
      for (let k = 0; k < 1 + (n % 8); k++) bytes[8 + random(bytes.length - 8)] = random(256)
      const outcome = await stage.tables
        .preview(source(`${n}.xls`, bytes), { rows: 100 })
        .catch((error: unknown) => error)
      if (outcome instanceof Error) {
        expect(outcome).toBeInstanceOf(TableError)
        expect(['unreadable', 'unsupported', 'too_large']).toContain((outcome as TableError).code)
      }
    }
  })

  test('a chain of sectors that runs in a circle ends', async () => {
    const bytes = Buffer.from(
      workbook(
        strings([]),
        Array.from({ length: 2000 }, (_, i) => label(i, 0, 0)),
      ),
    )
    const table = (bytes.readUInt32LE(76) + 1) * 512
    for (let n = 0; n < 128; n++)
      if (bytes.readUInt32LE(table + 4 * n) < 0xfffffffa) bytes.writeUInt32LE(1, table + 4 * n)
    expect(await refusal(stage.read(source('circle.xls', bytes)), 'unreadable')).toMatch(/missing parts/)
  })
})

function u16(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2)
  for (const [i, value] of values.entries()) bytes.writeUInt16LE(value, i * 2)
  return bytes
}
function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
function double(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleLE(value)
  return bytes
}
function record(id: number, ...parts: Buffer[]): Buffer {
  const data = Buffer.concat(parts)
  return Buffer.concat([u16(id, data.length), data])
}
function bof(kind: number, version = 0x600): Buffer {
  return record(0x809, u16(version, kind), Buffer.alloc(12))
}
function label(row: number, column: number, text: number): Buffer {
  return record(0xfd, u16(row, column, 0), u32(text))
}

/** The shared texts; each is cut after its third character and goes on in a record of its own, with the other width. */
function strings(texts: [string, boolean][]): Buffer {
  const written = (text: string, wide: boolean): Buffer[] => [
    Buffer.from([wide ? 1 : 0]),
    Buffer.from(text, wide ? 'utf16le' : 'latin1'),
  ]
  const records = [record(0xfc, u32(texts.length), u32(texts.length))]
  for (const [text, wide] of texts) {
    records.push(record(0x3c, u16(text.length), ...written(text.slice(0, 3), wide)))
    records.push(record(0x3c, ...written(text.slice(3), true)))
  }
  return Buffer.concat(records)
}

/** A workbook with one sheet, as a compound file. */
function workbook(globals: Buffer, sheet: Buffer[], version = 0x600): Buffer {
  const listing = (start: number): Buffer =>
    record(0x85, u32(start), Buffer.from([0, 0]), Buffer.from([4, 0]), Buffer.from('Data'))
  const begin = Buffer.concat([bof(5, version), globals])
  const start = begin.length + listing(0).length + 4
  return container(Buffer.concat([begin, listing(start), record(0x0a), bof(0x10), ...sheet, record(0x0a)]))
}

function container(stream: Buffer): Buffer {
  const file = xlsx.CFB.utils.cfb_new()
  xlsx.CFB.utils.cfb_add(file, '/Workbook', stream)
  return Buffer.from(xlsx.CFB.write(file, { type: 'buffer' }) as Uint8Array)
}

import { readdir } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ColumnPresentation } from '../server/tables/shape/export-plan.ts'
import { exportTable, type FileExport } from '../server/tables/export-table.ts'
import type { TableErrorCode } from '../server/tables/shape/table-error.ts'
import type { TableCell } from '../server/tables/shape/table-shape.ts'
import type { TableSource } from '../server/tables/shape/table-source.ts'
import type { SheetView } from '../server/tables/shape/sheet-view.ts'
import {
  collect,
  noOpenpyxl,
  readWithHucre,
  readWithOpenpyxl,
  readWithSheetJs,
} from './stage/documents/workbook-readers.ts'
import { cells, csv, openTablesStage, refusal, source, type TablesStage } from './stage/documents/tables-stage.ts'
import { until } from './stage/wait.ts'

let stage: TablesStage
beforeAll(async () => {
  stage = await openTablesStage()
})
afterAll(() => stage[Symbol.asyncDispose]())

const options = { title: null, presentation: {}, by: 'Ann', at: new Date('2026-11-21T06:07:08Z') }
const NEVER = new AbortController().signal

async function workbook(from: FileExport, presentation: Record<string, ColumnPresentation> = {}): Promise<Buffer> {
  return collect((await exportTable(stage.tables, from, { ...options, presentation }, NEVER)).bytes)
}

describe('a stored file', () => {
  const MESSY = source(
    'orders 2024.csv',
    'code;big;price;day;moment;flag;mixed\n' +
      '007;9007199254740993;1,50;31.12.2024;2024-03-01T12:00:00+02:00;true;1\n' +
      '042;-1;0,05;01.02.2024;2024-03-01T00:30:00+02:00;false;=SUM(A1)\n' +
      ';5;12,00;;;;"a\u001fb"\n' +
      '"\u001e";;;;;;"\u001d"\n',
  )

  test.skipIf(noOpenpyxl !== null)('keeps every cell, with its type', async () => {
    const [data, provenance] = await readWithOpenpyxl(await workbook({ source: MESSY }))
    expect(data!.title).toBe('orders 2024')
    expect(
      data!.rows.slice(1).map((row) => row.map(({ value, type }) => (value === null ? null : `${type} ${value}`))),
    ).toEqual([
      ['s 007', 's 9007199254740993', 'n 1.5', 'd 2024-12-31T00:00:00', 'd 2024-03-01T10:00:00', 'b true', 's 1'],
      ['s 042', 'n -1', 'n 0.05', 'd 2024-02-01T00:00:00', 'd 2024-02-29T22:30:00', 'b false', 's =SUM(A1)'],
      [null, 'n 5', 'n 12', null, null, null, 's a_x001F_b'],
      ['s _x001E_', null, null, null, null, null, 's _x001D_'],
    ])
    expect(data!.rows[1]![2]!.format).toBe('0.00')
    expect(Object.fromEntries(provenance!.rows.map(([name, text]) => [name!.value, text!.value]))).toMatchObject({
      Source: 'orders 2024.csv',
      'Source rows': '4',
      View: 'All rows. In the order of the source.',
      Rows: '4',
    })
  })

  test('gives back what separates cells on the way', async () => {
    const rows = (await readWithHucre(await workbook({ source: MESSY })))['orders 2024']!
    expect([rows[3]![6], rows[4]![0], rows[4]![6]]).toEqual(['a\x1fb', '\x1e', '\x1d'])
  })

  test('takes labels and formats of its columns', async () => {
    const shown = { day: { label: 'Tag', format: 'text' }, price: { label: 'Preis', format: 'EUR' } }
    const sheets = readWithSheetJs(await workbook({ source: MESSY, view: { columns: ['DAY', 'price'] } }, shown))
    expect(sheets['orders 2024']!.slice(0, 2)).toEqual([
      ['Tag', 'Preis'],
      ['31.12.2024', 1.5],
    ])
  })
})

describe('a view', () => {
  const rows = Array.from({ length: 5000 }, (_, i): TableCell[] => [
    i,
    `name ${(i * 7919) % 1000}`,
    (i * 37) % 101,
    i % 3 === 0 ? null : 'x',
  ])
  const file = source('numbers.csv', csv([['id', 'name', 'amount', 'rest'], ...rows]))

  test('is exported as it is shown: rows, order and columns', async () => {
    const view = {
      search: 'name 1',
      filters: [
        { column: 'amount', op: 'gte', value: 50 },
        { column: 'rest', op: 'not_empty' },
      ],
      sort: [{ column: 'amount', dir: 'desc' }],
      columns: ['amount', 'id'],
    } as const
    const shown: TableCell[][] = []
    for (let page = 1, pages = 1; page <= pages; page++) {
      const got = await stage.tables.page(file, { view, page, page_size: 500 })
      pages = got.total_pages
      shown.push(...cells(got))
    }
    const sheets = readWithSheetJs(await workbook({ source: file, view }, { amount: { label: 'Betrag' } }))
    expect(shown.length).toBeGreaterThan(100)
    expect(sheets['numbers']).toEqual([['Betrag', 'id'], ...shown])
    const provenance = Object.fromEntries(sheets['Provenance'] as [string, string][])
    expect(provenance['View']).toBe(
      'Rows with "name 1" in any cell. Rows where "Betrag" is at least 50 and "rest" is not empty. Sorted by "Betrag" descending.',
    )
    expect(provenance['Rows']).toBe(String(shown.length))
  })

  test('without a row is a header', async () => {
    const view = { filters: [{ column: 'id', op: 'lt', value: 0 }] } as const
    expect(readWithSheetJs(await workbook({ source: file, view }))['numbers']).toEqual([
      ['id', 'name', 'amount', 'rest'],
    ])
  })

  test('that does not fit is refused before the first byte', async () => {
    const refused = (from: Omit<FileExport, 'source'>, code: TableErrorCode = 'bad_view') =>
      refusal(exportTable(stage.tables, { source: file, ...from }, options, NEVER), code)
    expect(await refused({ view: { columns: ['nam'] } })).toBe('There is no column "nam". Did you mean "name"?')
    expect(await refused({ view: { sort: [{ column: 'x', dir: 'asc' }] } })).toContain('There is no column "x"')
    expect(await refused({ view: { filters: [{ column: 'id', op: 'eq', value: 'many' }] } })).toContain(
      'It holds numbers',
    )
    expect(await refused({ sheet: 'Sheet7' }, 'no_sheet')).toContain('There is no sheet "Sheet7"')
    expect(await refused({ view: { columns: [] } })).toContain('no column to export')
  })

  test('of a file that nobody has read yet begins at once, and is the same workbook', async () => {
    await using own = await openTablesStage()
    const lines = Array.from({ length: 100_000 }, (_, i) => [i, `name ${(i * 2_654_435_761) >>> 0}`])
    const fresh = source('fresh.csv', csv([['id', 'name'], ...lines]))
    const begun = await exportTable(own.tables, { source: fresh }, options, NEVER)
    const items = begun.bytes[Symbol.asyncIterator]()
    const first = await items.next()
    const pieces = [first.value as Uint8Array]
    for (let next = await items.next(); next.done !== true; next = await items.next()) pieces.push(next.value)
    const again = await exportTable(own.tables, { source: fresh }, options, NEVER)
    expect(Buffer.concat(pieces).equals(await collect(again.bytes))).toBe(true)
    expect(begun.name).toBe(again.name)
    const unread = source('unread.csv', csv([['id', 'name'], ...lines, [1, 'one more']]))
    const refused = (view: SheetView) =>
      refusal(exportTable(own.tables, { source: unread, view }, options, NEVER), 'bad_view')
    expect(await refused({ columns: ['nam'] })).toContain('Did you mean "name"')
    expect(await refused({ sort: [{ column: 'x', dir: 'asc' }] })).toContain('There is no column "x"')
    expect(await refused({ filters: [{ column: 'id', op: 'gt', value: 'y' }] })).toContain('It holds numbers')
  })

  test('of what is no table is refused', async () => {
    const broken = source('picture.parquet', 'PAR1 nothing')
    const refused = refusal(exportTable(stage.tables, { source: broken }, options, NEVER), 'unreadable')
    expect(await refused).toContain('picture.parquet')
  })

  test('of thousands of columns', async () => {
    const labels = Array.from({ length: 1200 }, (_, i) => `c${i}`)
    const wide = source(
      'wide.csv',
      csv([labels, labels.map((_, i) => i), labels.map(() => null), labels.map(() => 'x')]),
    )
    const found = readWithSheetJs(await workbook({ source: wide }))['wide']!
    expect(found[1]!.at(-1)).toBe('1199')
    expect(found[0]).toHaveLength(1200)
  })
})

describe('a workbook that nobody takes to its end', () => {
  const many: TableSource = source(
    'many.csv',
    csv([
      ['a', 'b'],
      ...Array.from({ length: 150_000 }, (_, i) => [`${i} ${(i * 2_654_435_761) >>> 0}`, `${(i * 40_503) >>> 0}`]),
    ]),
  )

  const work = async ({ folder }: TablesStage): Promise<string[]> =>
    (await readdir(folder)).filter((name) => name.startsWith('work-'))

  test('leaves no process and no file behind', async () => {
    await using own = await openTablesStage({ idle_ms: 50 })
    await own.tables.describe(many)
    const { bytes } = await exportTable(own.tables, { source: many }, options, NEVER)
    // Beside the rooms that processes have to themselves.
    expect((await work(own)).filter((name) => !name.startsWith('work-room-'))).toHaveLength(1)
    for await (const piece of bytes) {
      expect(piece.length).toBeGreaterThan(0)
      break
    }
    await until(async () => (await work(own)).length === 0 && own.tables.processes().length === 0, {
      what: 'all is gone',
    })
  })

  test('ends at once when it is stopped', async () => {
    const stop = new AbortController()
    const { bytes } = await exportTable(stage.tables, { source: many }, options, stop.signal)
    const reading = (async () => {
      for await (const piece of bytes) if (piece.length > 1000) stop.abort()
    })()
    await refusal(reading, 'cancelled')
    // And makes room for others.
    const none = await workbook({ source: many, view: { filters: [{ column: 'a', op: 'empty' }] } })
    expect(readWithSheetJs(none)['many']).toEqual([['a', 'b']])
  })

  test('ends when nothing is read for too long', async () => {
    await using own = await openTablesStage({ query_ms: 3000, idle_ms: 50 })
    await own.tables.describe(many)
    const { bytes } = await exportTable(own.tables, { source: many }, options, NEVER)
    const items = bytes[Symbol.asyncIterator]()
    await items.next()
    await until(() => own.tables.processes().length === 0, { what: 'the process has ended' })
    const rest = (async () => {
      while (!(await items.next()).done);
    })()
    expect(await refusal(rest, 'timeout')).toContain('Nothing was read')
  })

  test('waits for a slow reader instead of growing', async () => {
    const { bytes } = await exportTable(stage.tables, { source: many }, options, NEVER)
    let total = 0
    for await (const piece of bytes) {
      total += piece.length
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(total).toBeGreaterThan(1_000_000)
  })
})

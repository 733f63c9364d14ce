import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { readXlsx } from 'hucre'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { WorkSheet } from 'xlsx'
import { columnLetters } from '../server/tables/sheet/column-letters.ts'
import type { TableCell } from '../server/tables/shape/table-shape.ts'
import { noOpenpyxl, python } from './stage/documents/workbook-readers.ts'
import { escapeXml, xlsxBytes } from './stage/documents/spreadsheet-bytes.ts'
import { cells, openTablesStage, source, type TablesStage } from './stage/documents/tables-stage.ts'
import { xlsx } from './stage/documents/sheet-js.ts'

/** What other programs write is read as they meant it, cell for cell. */
let stage: TablesStage
beforeAll(async () => {
  stage = await openTablesStage()
})
afterAll(() => stage[Symbol.asyncDispose]())

type Row = [id: number, text: string | null, number: number | null, flag: boolean | null, day: number | null]

const LABELS = ['id', 'text', 'number', 'flag', 'day']
const sometimes = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 4 })
const word = fc
  .string({ unit: fc.constantFrom(...'abc  <>&"\'\n\téЖ東😀_x0041,;0'), minLength: 1, maxLength: 12 })
  .map((text) => `w${text}w`)
const number = fc.oneof(
  fc.integer({ min: -1_000_000, max: 1_000_000 }),
  fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e12, max: 1e12 }).map((n) => (n === 0 ? 0 : n)),
  fc.constantFrom(0.1, 1e-7, 1.5e300, 0.30000000000000004, 123456789.12345679),
)
const table = fc
  .array(
    fc.tuple(
      sometimes(word),
      sometimes(number),
      sometimes(fc.boolean()),
      sometimes(fc.integer({ min: 61, max: 100_000 })),
    ),
    { minLength: 1, maxLength: 40 },
  )
  .map((rows) => rows.map((row, i): Row => [i, ...row]))

const dayText = (serial: number): string => new Date((serial - 25_569) * 86_400_000).toISOString().slice(0, 10)
const expected = (rows: readonly Row[]): TableCell[][] =>
  rows.map(([id, text, value, flag, day]) => [id, text, value, flag, day === null ? null : dayText(day)])
/** Columns that hold nothing at all are not there when they have no label; all have one here. */
const shownOf = async (name: string, bytes: Uint8Array): Promise<TableCell[][]> => {
  const page = await stage.read(source(name, bytes))
  expect(page.columns.map(({ label }) => label)).toEqual(LABELS)
  // Numbers whose digits do not fit stand as text; they have to mean the same.
  return cells(page).map((row) => row.map((cell, i) => (i === 2 && typeof cell === 'string' ? Number(cell) : cell)))
}

test('any table, written by hand with shared, inline and formula texts', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(table, fc.constantFrom('s', 'str', 'inlineStr'), fc.boolean(), async (rows, how, addressed) => {
      const strings: string[] = []
      const write = (text: string): string => {
        const escaped = escapeXml(text.replace(/_(?=x[0-9a-f]{4}_)/gi, '_x005F_'))
        if (how === 'inlineStr') return ` t="inlineStr"><is><t>${escaped}</t></is>`
        if (how === 'str') return ` t="str"><v>${escaped}</v>`
        return ` t="s"><v>${strings.push(`<si><t>${escaped}</t></si>`) - 1}</v>`
      }
      const all: (Row | string[])[] = [LABELS, ...rows]
      const data = all.map(
        (row, r) =>
          `<row>${row
            .map((cell, c) => {
              const at = addressed ? ` r="${columnLetters(c)}${r + 1}"` : ''
              if (cell === null) return addressed ? '' : '<c/>'
              if (typeof cell === 'string') return `<c${at}${write(cell)}</c>`
              if (typeof cell === 'boolean') return `<c${at} t="b"><v>${Number(cell)}</v></c>`
              return `<c${at}${c === 4 ? ' s="1"' : ''}><v>${cell}</v></c>`
            })
            .join('')}</row>`,
      )
      const bytes = xlsxBytes({
        sheets: [{ name: 'S', data: data.join('') }],
        strings: strings.join(''),
        formats: ['yyyy-mm-dd'],
      })
      expect(await shownOf('t.xlsx', bytes)).toEqual(expected(rows))
    }),
    { numRuns: 15 },
  )
})

function sheetOf(rows: readonly Row[], days: boolean): WorkSheet {
  const sheet: WorkSheet = { '!ref': `A1:E${rows.length + 1}` }
  for (const [c, label] of LABELS.entries()) sheet[`${columnLetters(c)}1`] = { t: 's', v: label }
  for (const [r, row] of rows.entries())
    for (const [c, cell] of row.entries()) {
      if (cell === null) continue
      const place = `${columnLetters(c)}${r + 2}`
      if (typeof cell === 'string') sheet[place] = { t: 's', v: cell }
      else if (typeof cell === 'boolean') sheet[place] = { t: 'b', v: cell }
      else sheet[place] = { t: 'n', v: cell, ...(c === 4 && days ? { z: 'yyyy-mm-dd' } : {}) }
    }
  return sheet
}

const written = (sheet: WorkSheet, bookType: 'xlsx' | 'ods'): Uint8Array =>
  xlsx.write({ SheetNames: ['S'], Sheets: { S: sheet } }, { type: 'buffer', bookType, bookSST: true }) as Uint8Array

test('any table, written by SheetJS; hucre reads the same', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(table, async (rows) => {
      const bytes = written(sheetOf(rows, true), 'xlsx')
      const shown = await shownOf('t.xlsx', bytes)
      expect(shown).toEqual(expected(rows))
      const [sheet] = (await readXlsx(bytes)).sheets
      const peer = sheet!.rows.slice(1).map((row) => LABELS.map((_, i) => plain(row[i])))
      expect(shown.map((row) => row.map(plain))).toEqual(peer)
    }),
    { numRuns: 15 },
  )
})

test('any table, written by SheetJS as ODS', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(table, async (rows) => {
      const plainRows = rows.map(([id, text, value, flag]): Row => [
        id,
        text?.replace(/[\s]+/g, '-') ?? null,
        value,
        flag,
        id,
      ])
      const shown = await shownOf('t.ods', written(sheetOf(plainRows, false), 'ods'))
      expect(shown).toEqual(plainRows)
    }),
    { numRuns: 15 },
  )
})

function plain(cell: unknown): unknown {
  if (cell instanceof Date) return cell.toISOString().slice(0, 10)
  return cell === undefined ? null : cell
}

const WRITE = `
import sys, datetime as d, openpyxl, xlsxwriter
folder = sys.argv[1]
rows = [['id', 'text', 'number', 'flag', 'day', 'stamp', 'time', 'long', 'sum']]
start = d.datetime(2024, 2, 28, 22, 30, 15)
for i in range(300):
    rows.append([i, ' é 東 <&> %05d\\n"q" ' % i, i * 1.1, i % 2 == 0, (start + d.timedelta(days=i)).date(), start + d.timedelta(hours=i), d.time(i % 24, 30), d.timedelta(hours=i), i * 2])
for name, options in (('shared', {}), ('inline', {'constant_memory': True})):
    book = xlsxwriter.Workbook('%s/%s.xlsx' % (folder, name), options)
    sheet = book.add_worksheet('Data')
    formats = {4: 'yyyy-mm-dd', 5: 'dd/mm/yyyy hh:mm:ss', 6: 'hh:mm', 7: '[h]:mm:ss'}
    formats = {c: book.add_format({'num_format': f}) for c, f in formats.items()}
    for r, row in enumerate(rows):
        for c, cell in enumerate(row):
            if r == 0 or c not in formats:
                if c == 8 and r > 0: sheet.write_formula(r, c, '=A%d*2' % (r + 1), None, cell)
                else: sheet.write(r, c, cell)
            else: sheet.write_datetime(r, c, cell, formats[c])
    book.close()
for name, only in (('openpyxl', False), ('write-only', True)):
    book = openpyxl.Workbook(write_only=only)
    sheet = book.create_sheet('Data', 0) if only else book.active
    for row in rows: sheet.append(row)
    book.save('%s/%s.xlsx' % (folder, name))
`
const READ = `
import sys, json, datetime as d, openpyxl
def plain(cell):
    if isinstance(cell, d.datetime): return cell.isoformat()
    if isinstance(cell, (d.date, d.time)): return cell.isoformat()
    if isinstance(cell, d.timedelta): return '%02d:%02d:%02d' % (cell.days * 24 + cell.seconds // 3600, cell.seconds // 60 % 60, cell.seconds % 60)
    return cell
sheet = openpyxl.load_workbook(sys.argv[1], data_only=True).worksheets[0]
print(json.dumps([[plain(cell) for cell in row] for row in sheet.iter_rows(values_only=True)]))
`
describe.skipIf(noOpenpyxl !== null)('with Python, where openpyxl and XlsxWriter are installed', () => {
  test('what they write is read as openpyxl reads it', { timeout: 120_000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'reeve-python-'))
    try {
      execFileSync(python!, ['-c', WRITE, folder])
      for (const name of ['shared', 'inline', 'openpyxl', 'write-only']) {
        const path = join(folder, `${name}.xlsx`)
        const [labels, ...rows] = JSON.parse(
          execFileSync(python!, ['-c', READ, path], { encoding: 'utf8' }),
        ) as TableCell[][]
        const page = await stage.read(source(`${name}.xlsx`, await readFile(path)))
        expect(page.columns.map(({ label }) => label)).toEqual(labels)
        expect(page.columns.map(({ type }) => type)).toEqual([
          'integer',
          'text',
          'number',
          'boolean',
          'date',
          'datetime',
          'text',
          'text',
          'integer',
        ])
        // It makes a time at midnight of every day.
        expect(cells(page)).toEqual(
          rows.map((row) => row.map((cell, i) => (i === 4 ? String(cell).slice(0, 10) : cell))),
        )
      }
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})

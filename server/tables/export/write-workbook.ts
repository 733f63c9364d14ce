import { say, type Sentence } from '../../kernel/sentence.ts'
import { cut } from '../../kernel/text/plain-text.ts'
import { cellWriter, type CellCounts, type CellWriter } from './cell-writer.ts'
import { CellStyles } from './cell-styles.ts'
import { layOut, type ColumnLayout } from './column-layout.ts'
import { columnLetters } from '../sheet/column-letters.ts'
import {
  CELL_LIMIT,
  exportLines,
  ROW_LIMIT,
  type ExportBook,
  type ExportPlan,
  type ExportRow,
  type SheetToWrite,
} from '../shape/export-plan.ts'
import { sheetName } from './sheet-name.ts'
import { noteSheet, sheetEnd, sheetStart } from './sheet-xml.ts'
import { firstParts, lastParts, type WrittenSheet } from './workbook-parts.ts'
import { ZipStream } from './zip-stream.ts'

/** Rows whose values determine the column widths. */
const SAMPLE = 200
/** Bytes of a sheet after which the next one begins: beyond 4 GiB, many programs cannot read it. */
const SHEET_BYTES = 3_000_000_000
/** Characters of a row that are joined before they are written. */
const LINE = 64 * 1024

/** The outcome for one table, for the provenance sheet. */
interface Written {
  readonly plan: ExportPlan
  readonly rows: number
  readonly notices: readonly string[]
}

/**
 * Writes an XLSX workbook, piece by piece, while its rows arrive: memory doesn't grow with them, and a reader that
 * stops taking pieces stops the rows. Rows that don't fit on a sheet continue on further sheets; the last sheet tells
 * where the data comes from.
 */
export async function* writeWorkbook(
  book: ExportBook,
  tables: readonly SheetToWrite[],
  rowLimit = ROW_LIMIT,
): AsyncGenerator<Uint8Array> {
  const zip = new ZipStream(new Date(book.at))
  for (const [name, xml] of firstParts(book)) yield* part(zip, name, xml)
  const styles = new CellStyles()
  const taken = new Set(['provenance'])
  const sheets: WrittenSheet[] = []
  const written: Written[] = []
  for (const table of tables) written.push(yield* writeTable(table, { zip, styles, taken, sheets, rowLimit }))
  sheets.push({ name: 'Provenance', filter: null })
  yield* part(zip, `xl/worksheets/sheet${sheets.length}.xml`, noteSheet(provenance(book, written)))
  yield* part(zip, 'xl/styles.xml', styles.xml())
  for (const [name, xml] of lastParts(sheets)) yield* part(zip, name, xml)
  yield zip.close()
}

interface Workbook {
  readonly zip: ZipStream
  readonly styles: CellStyles
  /** Sheet names in use. */
  readonly taken: Set<string>
  readonly sheets: WrittenSheet[]
  readonly rowLimit: number
}

async function* writeTable(
  { plan, batches }: SheetToWrite,
  { zip, styles, taken, sheets, rowLimit }: Workbook,
): AsyncGenerator<Uint8Array, Written> {
  const counts: CellCounts = { cut: 0, dates: 0, long: 0 }
  const before = sheets.length
  let layout: ColumnLayout | null = null
  let writers: CellWriter[] = []
  let total = 0
  let rows = 0

  const begin = (sample: readonly ExportRow[]): Uint8Array => {
    layout ??= layOut(plan, sample.slice(0, SAMPLE))
    const { formats, sheet } = layout
    if (sheets.length === before)
      writers = plan.columns.map((column, i) => cellWriter(column, formats[i]!, columnLetters(i), { styles, counts }))
    rows = 0
    sheets.push({ name: sheetName(plan.title, taken), filter: null })
    const header = zip.begin(`xl/worksheets/sheet${sheets.length}.xml`)
    zip.write(sheetStart(sheet, sheets.length === 1))
    return header
  }
  const end = (): AsyncGenerator<Uint8Array> => {
    sheets.push({ name: sheets.pop()!.name, filter: { columns: plan.columns.length, rows } })
    zip.write(sheetEnd(plan.columns.length, rows))
    return zip.end()
  }

  for await (const batch of batches) {
    if (batch.length === 0) continue
    if (sheets.length === before) yield begin(batch)
    for (const row of batch) {
      if (rows >= rowLimit || zip.entryBytes > SHEET_BYTES) {
        yield* end()
        yield begin(batch)
      }
      rows++
      total++
      writeRow(zip, writers, row, rows + 1)
      if (zip.behind) yield* zip.ready()
    }
  }
  if (sheets.length === before) yield begin([])
  yield* end()
  const split = splitNotice(sheets.length - before)
  const own = [...layout!.notices, ...countNotices(counts), ...split].map((notice) => notice.in(plan.language ?? 'en'))
  return { plan, rows: total, notices: [...plan.notices, ...own] }
}

/** The bytes that begin a workbook: the same as from `writeWorkbook`, without waiting for rows. */
export async function workbookStart(book: ExportBook): Promise<Uint8Array> {
  const zip = new ZipStream(new Date(book.at))
  const pieces: Uint8Array[] = []
  for (const [name, xml] of firstParts(book)) for await (const piece of part(zip, name, xml)) pieces.push(piece)
  return Buffer.concat(pieces)
}

async function* part(zip: ZipStream, name: string, xml: string): AsyncGenerator<Uint8Array> {
  yield zip.begin(name)
  zip.write(xml)
  yield* zip.end()
}

function writeRow(zip: ZipStream, writers: readonly CellWriter[], row: ExportRow, number: number): void {
  let line = `<row r="${number}">`
  for (let i = 0; i < writers.length; i++) {
    line += writers[i]!(row[i], number)
    if (line.length > LINE) {
      zip.write(line)
      line = ''
    }
  }
  zip.write(`${line}</row>`)
}

function provenance(book: ExportBook, tables: readonly Written[]): [string, string][] {
  const about = tables.flatMap(({ plan, rows }): (readonly [string, string])[] => [
    ...plan.origin,
    ['Columns', String(plan.columns.length)],
    ['Rows', String(rows)],
  ])
  const notices = tables.flatMap(({ plan, notices: own }) =>
    own.map((text): [string, string] => ['Notice', tables.length > 1 ? `${plan.title}: ${text}` : text]),
  )
  return [['Title', book.title] as const, ...about, ...exportLines(book), ...notices].map(([name, text]) => [
    name,
    cut(text, CELL_LIMIT),
  ])
}

function countNotices({ cut: shortened, dates, long }: CellCounts): Sentence[] {
  const notices: Sentence[] = []
  if (shortened > 0)
    notices.push(say`Texts cut to ${CELL_LIMIT} characters, the most that a cell can hold: ${shortened}.`)
  if (dates > 0) notices.push(say`Dates that a spreadsheet cannot show, written as text: ${dates}.`)
  if (long > 0) notices.push(say`Numbers with more digits than a spreadsheet keeps (15), written as text: ${long}.`)
  return notices
}

function splitNotice(sheets: number): Sentence[] {
  return sheets === 1 ? [] : [say`One sheet cannot hold all rows, so they continue over ${sheets} sheets.`]
}

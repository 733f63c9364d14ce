import { cut } from '../../kernel/text.ts'
import { cellWriter, type CellCounts, type CellWriter } from './cell-writer.ts'
import { CellStyles } from './cell-styles.ts'
import { layOut, type ColumnLayout } from './column-layout.ts'
import { columnLetters } from './column-letters.ts'
import { CELL_LIMIT, ROW_LIMIT, type ExportPlan, type ExportRow } from './export-plan.ts'
import { sheetName } from './sheet-name.ts'
import { noteSheet, sheetEnd, sheetStart } from './sheet-xml.ts'
import { firstParts, lastParts, type WrittenSheet } from './workbook-parts.ts'
import { ZipStream } from './zip-stream.ts'

/** Rows whose values tell how wide the columns are. */
const SAMPLE = 200
/** Bytes of a sheet, after which the next one begins: beyond 4 GiB many programs cannot read it. */
const SHEET_BYTES = 3_000_000_000
/** Characters of a row that are put together before they are written. */
const LINE = 64 * 1024

/**
 * Writes an XLSX workbook, piece by piece, while its rows come in: memory does not grow with them, and who does not take the pieces
 * stops the rows. More rows than a sheet can hold go on in further sheets; the last sheet tells where the data comes from.
 */
export async function* writeWorkbook(
  plan: ExportPlan,
  batches: AsyncIterable<readonly ExportRow[]>,
  rowLimit = ROW_LIMIT,
): AsyncGenerator<Uint8Array> {
  const zip = new ZipStream(new Date(plan.at))
  for (const [name, xml] of firstParts(plan)) yield* part(zip, name, xml)
  const styles = new CellStyles()
  const counts: CellCounts = { cut: 0, dates: 0, long: 0 }
  const taken = new Set(['provenance'])
  const sheets: WrittenSheet[] = []
  let layout: ColumnLayout | null = null
  let writers: CellWriter[] = []
  let total = 0
  let rows = 0

  const begin = (sample: readonly ExportRow[]): Uint8Array => {
    layout ??= layOut(plan, sample.slice(0, SAMPLE))
    const { formats, sheet } = layout
    if (sheets.length === 0)
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
    if (sheets.length === 0) yield begin(batch)
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
  if (sheets.length === 0) yield begin([])
  yield* end()

  const notices = [...plan.notices, ...layout!.notices, ...countNotices(counts), ...splitNotice(sheets.length)]
  sheets.push({ name: 'Provenance', filter: null })
  yield* part(zip, `xl/worksheets/sheet${sheets.length}.xml`, noteSheet(provenance(plan, total, notices)))
  yield* part(zip, 'xl/styles.xml', styles.xml())
  for (const [name, xml] of lastParts(sheets)) yield* part(zip, name, xml)
  yield zip.close()
}

/** The bytes with which the workbook of a plan begins: the same as `writeWorkbook` gives, without waiting for rows. */
export async function workbookStart(plan: Pick<ExportPlan, 'title' | 'by' | 'at'>): Promise<Uint8Array> {
  const zip = new ZipStream(new Date(plan.at))
  const pieces: Uint8Array[] = []
  for (const [name, xml] of firstParts(plan)) for await (const piece of part(zip, name, xml)) pieces.push(piece)
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

function provenance(plan: ExportPlan, total: number, notices: readonly string[]): [string, string][] {
  return [
    ['Title', plan.title],
    ...plan.origin.map(([name, text]): [string, string] => [name, text]),
    ['Columns', String(plan.columns.length)],
    ['Rows', String(total)],
    ['Exported at', `${plan.at.slice(0, 19).replace('T', ' ')} UTC`],
    ['Exported by', plan.by],
    ['Exported with', 'Reeve'],
    ...notices.map((text): [string, string] => ['Notice', text]),
  ].map(([name, text]) => [name!, cut(text!, CELL_LIMIT)])
}

function countNotices({ cut: shortened, dates, long }: CellCounts): string[] {
  const notices: string[] = []
  if (shortened > 0)
    notices.push(
      `Texts longer than ${CELL_LIMIT} characters were cut, which is all that a cell can hold: ${shortened}.`,
    )
  if (dates > 0) notices.push(`Dates that a spreadsheet cannot show, written as text: ${dates}.`)
  if (long > 0) notices.push(`Numbers with more digits than a spreadsheet keeps (15), written as text: ${long}.`)
  return notices
}

function splitNotice(sheets: number): string[] {
  return sheets === 1 ? [] : [`One sheet cannot hold all rows: they go on over ${sheets} sheets.`]
}

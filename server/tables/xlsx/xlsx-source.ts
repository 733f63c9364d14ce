import { join } from 'node:path'
import { sheetNotices } from '../sheet/sheet-notices.ts'
import { HEAD_ROWS, SheetRows } from '../sheet/sheet-rows.ts'
import { openZipParts, type ZipParts } from '../sheet/zip-parts.ts'
import type { Reading, SheetDraft, SheetReader } from '../draft/sheet-draft.ts'
import { TableError } from '../shape/table-error.ts'
import { say, type Sentence } from '../../kernel/sentence.ts'
import { SHEET_LIMIT } from '../shape/table-shape.ts'
import type { NumberFormat } from './number-format.ts'
import { readSharedStrings, SharedStrings } from './shared-strings.ts'
import { SheetCells, type CellTaker } from './sheet-cells.ts'
import { readStyles } from './styles.ts'
import { readWorkbook, type Workbook, type WorkbookSheet } from './workbook.ts'

/** Extra rows on top of the wanted ones, for titles and the header. */
const MORE_ROWS = 12
const NO_STRINGS = new SharedStrings()

interface Book {
  readonly parts: ZipParts
  readonly workbook: Workbook
  readonly formats: readonly NumberFormat[]
}

interface Place {
  readonly reading: Reading
  readonly file: string
  readonly notices: readonly Sentence[]
}
const NO_TEXT = { encoding: null, delimiter: null }

/**
 * XLSX, XLSM and their templates: every sheet, streamed. Formulas yield their stored results; nothing is computed and
 * nothing is run.
 */
export const readXlsx: SheetReader = async (reading) => {
  await using parts = await openZipParts(reading.path)
  const workbook = await readWorkbook(parts)
  const formats = workbook.styles !== null && parts.has(workbook.styles) ? await readStyles(parts, workbook.styles) : []
  const book: Book = { parts, workbook, formats }
  const count = workbook.sheets.length
  if (count === 0) throw new TableError('unreadable', say`This workbook has no sheets.`)
  if (!workbook.sheets.some((sheet) => isThere(book, sheet)))
    throw new TableError('unreadable', say`This file is incomplete: none of its sheets is in it.`)
  const notices = count > SHEET_LIMIT ? [say`Only the first ${SHEET_LIMIT} of ${count} sheets were read.`] : []
  const listed = workbook.sheets.slice(0, SHEET_LIMIT)
  // For the first rows, only the viewed sheet is read.
  const shown = Math.max(
    0,
    listed.findIndex(({ name }) => name.toLowerCase() === reading.sheet?.toLowerCase()),
  )
  const place = (index: number): Place => ({ reading, file: join(reading.scratch, `sheet-${index}.csv`), notices })
  if (reading.rows !== null) {
    const first = await readFirstRows(book, listed[shown]!, reading.rows, place(shown))
    const others = ({ name }: WorkbookSheet): SheetDraft => ({ name, columns: [], select: '', notices: [] })
    return { ...NO_TEXT, sheets: listed.map((sheet, index) => (index === shown ? first : others(sheet))) }
  }
  const strings = await allStrings(book)
  const sheets: SheetDraft[] = []
  for (const [index, sheet] of listed.entries())
    sheets.push((await readSheet(book, sheet, strings, place(index))).draft)
  return { ...NO_TEXT, sheets }
}

async function readFirstRows(book: Book, sheet: WorkbookSheet, rows: number, place: Place): Promise<SheetDraft> {
  const { draft, missing } = await readSheet(book, sheet, await firstStrings(book, sheet, rows), place)
  // Rows of nothing but empty texts don't count, so that more of them were needed than estimated.
  return missing === 0 ? draft : (await readSheet(book, sheet, await allStrings(book), place)).draft
}

async function allStrings({ parts, workbook: { strings } }: Book): Promise<SharedStrings> {
  return strings !== null && parts.has(strings) ? readSharedStrings(parts, strings, Infinity) : NO_STRINGS
}

/** Only as many as the first rows need: those usually come first, and all of them may be a hundred megabytes. */
async function firstStrings(book: Book, sheet: WorkbookSheet, rows: number): Promise<SharedStrings> {
  const { strings } = book.workbook
  if (strings === null || !book.parts.has(strings) || !isThere(book, sheet)) return NO_STRINGS
  let last = -1
  let left = Math.max(rows, HEAD_ROWS) + MORE_ROWS
  let filled = false
  const taker = {
    set: () => {
      filled = true
    },
    endRow: () => {
      if (filled) left--
      filled = false
    },
    get full() {
      return left <= 0
    },
  }
  const shared = (number: number): string => {
    if (number > last) last = number
    return ''
  }
  await scanCells(book, sheet.part, taker, shared)
  return last < 0 ? NO_STRINGS : readSharedStrings(book.parts, strings, last)
}

/** Programs that remove a sheet from a workbook don't always remove its name. */
function isThere({ parts }: Book, sheet: WorkbookSheet): sheet is WorkbookSheet & { part: string } {
  return sheet.part !== null && parts.has(sheet.part)
}

async function readSheet(
  book: Book,
  sheet: WorkbookSheet,
  strings: SharedStrings,
  { reading, file, notices }: Place,
): Promise<{ draft: SheetDraft; missing: number }> {
  if (!isThere(book, sheet))
    return {
      draft: {
        name: sheet.name,
        columns: [{ label: 'Column A', text: true }],
        select: 'SELECT CAST(NULL AS VARCHAR) AS c0 WHERE false',
        notices: [...notices, say`The file names this sheet but does not contain it.`],
      },
      missing: 0,
    }
  using rows = new SheetRows(
    sheet.name,
    file,
    reading.rows,
    reading.allowance,
    reading.choice.sheets?.[sheet.name]?.header_row,
  )
  const cells = await scanCells(book, sheet.part, rows, (number) => strings.get(number))
  const { merges, errors, unknown, missing } = cells
  const said = sheetNotices({ hidden: sheet.hidden, merges, errors, unknown, missing })
  return { draft: rows.finish([...notices, ...said]), missing }
}

async function scanCells(
  { parts, workbook, formats }: Book,
  part: string,
  taker: CellTaker & { readonly full: boolean },
  shared: (number: number) => string | null,
): Promise<SheetCells> {
  let stop = (): void => {}
  const rows: CellTaker = {
    set: (column, text, kind) => taker.set(column, text, kind),
    endRow(times) {
      taker.endRow(times)
      if (taker.full) stop()
    },
  }
  const cells = new SheetCells(rows, { formats, from1904: workbook.from1904, shared })
  await parts.scan(part, cells, {
    started(scanner) {
      stop = () => {
        scanner.stopped = true
      }
    },
  })
  return cells
}

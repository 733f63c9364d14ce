import { join } from 'node:path'
import type { SheetDraft, SheetReader } from '../draft/sheet-draft.ts'
import { sheetNotices } from '../sheet/sheet-notices.ts'
import { SheetRows } from '../sheet/sheet-rows.ts'
import { TableError } from '../shape/table-error.ts'
import { say } from '../../kernel/sentence.ts'
import { SHEET_LIMIT } from '../shape/table-shape.ts'
import { readCompoundStream } from './compound-file.ts'
import { readGlobals } from './workbook-globals.ts'
import { readXlsCells } from './xls-cells.ts'

/** Bytes of a workbook: it is read as a whole, and a sheet can have at most 65,536 rows of 256 columns. */
const LIMIT = 192 * 1024 * 1024

/**
 * XLS, the format of Excel 97 to 2003: every sheet. Formulas yield their stored results; nothing is computed and
 * nothing is run.
 */
export const readXls: SheetReader = async ({ path, scratch, rows, sheet: wanted, allowance, choice }) => {
  const stream = await readCompoundStream(path, ['workbook', 'book'], LIMIT)
  if (stream === null) throw new TableError('unreadable', say`This file holds no workbook.`)
  const workbook = readGlobals(stream)
  const count = workbook.sheets.length
  if (count === 0) throw new TableError('unreadable', say`This workbook has no sheets.`)
  const notices = count > SHEET_LIMIT ? [say`Only the first ${SHEET_LIMIT} of ${count} sheets were read.`] : []
  const listed = workbook.sheets.slice(0, SHEET_LIMIT)
  const shown = Math.max(
    0,
    listed.findIndex(({ name }) => name.toLowerCase() === wanted?.toLowerCase()),
  )
  const sheets = listed.map(({ name, hidden, start }, index): SheetDraft => {
    // For the first rows, only the viewed sheet is read.
    if (rows !== null && index !== shown) return { name, columns: [], select: '', notices: [] }
    using cells = new SheetRows(
      name,
      join(scratch, `sheet-${index}.csv`),
      rows,
      allowance,
      choice.sheets?.[name]?.header_row,
    )
    const { merges, errors, missing } = readXlsCells(stream, start, workbook, cells)
    return cells.finish([...notices, ...sheetNotices({ hidden, merges, errors, unknown: 0, missing })])
  })
  return { encoding: null, delimiter: null, sheets }
}

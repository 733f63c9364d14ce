import { cut } from '../../kernel/text.ts'
import { findColumn } from '../find-column.ts'
import { TableError } from '../table-error.ts'
import { say } from '../../kernel/sentence.ts'
import type { PreparedSheet } from '../table-shape.ts'
import type { TableSource } from '../table-source.ts'
import type { TableView } from '../table-view.ts'
import type { Tables } from '../tables.ts'
import {
  COLUMN_LIMIT,
  type ColumnPresentation,
  type ExportColumn,
  type ExportPlan,
  type ExportRow,
  type ExportType,
} from './export-plan.ts'
import { isThere, startedEarly } from './start-early.ts'
import { viewWords } from './view-words.ts'
import { workbookStart, writeWorkbook } from './write-workbook.ts'

/** All rows of a view of a stored file. */
export interface FileExport {
  readonly source: TableSource
  readonly sheet?: string | undefined
  /** Its `columns` choose and order what is exported. */
  readonly view?: TableView | undefined
}
/** Rows that are there already. Values of JSON; what is not in `columns` is left out. */
export interface RowsExport {
  readonly columns: readonly { readonly key: string; readonly label?: string; readonly type?: ExportType }[]
  readonly rows: readonly Readonly<Record<string, unknown>>[]
}
export interface ExportOptions {
  /** Names file and sheet; null: the name of the source. */
  readonly title: string | null
  readonly presentation: Readonly<Record<string, ColumnPresentation>>
  /** Who exports: a name that people know. */
  readonly by: string
  readonly at: Date
}
export interface ExportedTable {
  /** A name for the file, with its ending. */
  readonly name: string
  readonly bytes: AsyncIterable<Uint8Array>
}

const TITLE_LIMIT = 120
const BATCH = 500
/** Sorting may take longer; then the workbook begins before its rows are known. */
const SOON_MS = 150
/** Bytes of files up to which reading all of them is as quick as reading their beginning. */
const SMALL = 1024 * 1024

/**
 * A table as an XLSX workbook, written while it is read. Whoever stops taking `bytes` ends the work, and so does `signal`.
 * @throws {TableError} before the first byte for what is wrong with file, sheet, view and columns; later from `bytes`
 */
export async function exportTable(
  tables: Tables,
  from: FileExport | RowsExport,
  options: ExportOptions,
  signal: AbortSignal,
): Promise<ExportedTable> {
  return 'source' in from ? exportFile(tables, from, options, signal) : exportRows(from, options, signal)
}

async function exportFile(
  tables: Tables,
  { source, sheet: wanted, view = {} }: FileExport,
  options: ExportOptions,
  signal: AbortSignal,
): Promise<ExportedTable> {
  const fileTitle = source.name.replace(/\.[a-z0-9]{1,10}$/i, '')
  const titleFor = (sheet: string, sheets: number): string =>
    titleOf(options.title ?? (sheets > 1 ? `${fileTitle} ${sheet}` : fileTitle))
  let title = ''
  const planFor = ({ sheet, sheets }: { sheet: PreparedSheet; sheets: number }): ExportPlan => {
    title = titleFor(sheet.name, sheets)
    const columns = shownColumns(sheet.columns, view)
    return {
      ...planOf(title, options),
      columns: columns.map(({ key, label, type, cast }) => ({ key, label, type, cast })),
      origin: originOf(source, sheet, view, options),
      notices: sheet.notices,
    }
  }
  const stop = new AbortController()
  const both = AbortSignal.any([signal, stop.signal])
  const isRead = await tables.isRead(source)
  const whole = tables.export(source, { sheet: wanted, view }, planFor, both)
  // It may fail while the beginning is still being looked at, before anybody waits for it.
  whole.catch(() => undefined)
  // A filter's value may or may not fit, by types that only the whole file tells: then the answer waits for them.
  const waits = (view.filters ?? []).length > 0 || (!isRead && source.size <= SMALL)
  // A large file that was never read is not there soon: nothing is gained by waiting.
  if (waits || (isRead && (await isThere(whole, SOON_MS)))) {
    const bytes = await whole
    return { name: fileName(title), bytes }
  }
  try {
    const begin = await tables.preview(source, { sheet: wanted, rows: 1 }, both)
    shownColumns(begin.columns, view)
    for (const { column } of view.sort ?? []) findColumn(begin.columns, column)
    const named = titleFor(begin.sheet, begin.sheets.length)
    const start = await workbookStart(planOf(named, options))
    return { name: fileName(named), bytes: startedEarly(start, whole, () => stop.abort()) }
  } catch (error) {
    stop.abort()
    await whole.catch(() => undefined)
    throw error
  }
}

function exportRows({ columns, rows }: RowsExport, options: ExportOptions, signal: AbortSignal): ExportedTable {
  checkColumns(columns.length)
  const title = titleOf(options.title ?? 'Table')
  const plan: ExportPlan = {
    ...planOf(title, options),
    columns: columns.map(({ key, label = key, type }): ExportColumn => ({
      key,
      label,
      type: type ?? typeOf(key, rows),
      cast: null,
    })),
    origin: [['Source', 'A table of a conversation, as it was shown.']],
    notices: [],
  }
  return { name: fileName(title), bytes: writeWorkbook(plan, batchesOf(columns, rows, signal)) }
}

async function* batchesOf(
  columns: RowsExport['columns'],
  rows: RowsExport['rows'],
  signal: AbortSignal,
): AsyncGenerator<ExportRow[]> {
  for (let from = 0; from < rows.length; from += BATCH) {
    if (signal.aborted) throw new TableError('cancelled', say`It was stopped.`)
    yield rows
      .slice(from, from + BATCH)
      .map((row) => columns.map(({ key }) => (Object.hasOwn(row, key) ? row[key] : null)))
  }
}

function planOf(
  title: string,
  { presentation, by, at }: ExportOptions,
): Pick<ExportPlan, 'title' | 'presentation' | 'by' | 'at'> {
  return { title, presentation, by, at: at.toISOString() }
}

function shownColumns<Column extends { readonly key: string }>(
  columns: readonly Column[],
  view: TableView,
): readonly Column[] {
  const shown = view.columns?.map((key) => findColumn(columns, key)) ?? columns
  checkColumns(shown.length)
  return shown
}

function originOf(
  source: TableSource,
  sheet: PreparedSheet,
  view: TableView,
  { presentation }: ExportOptions,
): [string, string][] {
  const labels = new Map(Object.entries(presentation).map(([key, { label }]) => [key, label?.trim()]))
  const label = (key: string): string => {
    const column = findColumn(sheet.columns, key)
    return labels.get(column.key) || column.label
  }
  return [
    ['Source', source.name],
    ['Source sheet', sheet.name],
    ['Source columns', String(sheet.columns.length)],
    ['Source rows', String(sheet.rows)],
    ['Source id', source.id ?? source.key],
    ['View', viewWords(view, label)],
  ]
}

/** The type that all values of a column have; text where they differ. */
function typeOf(key: string, rows: RowsExport['rows']): ExportType {
  let type: ExportType | null = null
  for (const row of rows) {
    const value = Object.hasOwn(row, key) ? row[key] : null
    if (value === null || value === undefined) continue
    const found: ExportType =
      typeof value === 'boolean'
        ? 'boolean'
        : typeof value !== 'number'
          ? 'text'
          : Number.isInteger(value) && type !== 'number'
            ? 'integer'
            : 'number'
    if (type !== null && type !== found && !(type === 'integer' && found === 'number')) return 'text'
    type = found
  }
  return type ?? 'text'
}

function checkColumns(count: number): void {
  if (count === 0) throw new TableError('bad_view', say`There is no column to export. Show at least one.`)
  if (count > COLUMN_LIMIT)
    throw new TableError('too_large', say`A spreadsheet holds at most ${COLUMN_LIMIT} columns, and these are ${count}.`)
}

function titleOf(text: string): string {
  const clean = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
  return cut(clean, TITLE_LIMIT).trim() || 'Table'
}

/** Characters that no file system refuses. */
function fileName(title: string): string {
  return `${title.replace(/[\\/:*?"<>|]+/g, '-').replace(/^\.+|[. ]+$/g, '') || 'Table'}.xlsx`
}

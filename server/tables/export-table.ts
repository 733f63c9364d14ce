import type { ExportFormat } from '../../contract/export-formats.ts'
import { cut } from '../kernel/text/plain-text.ts'
import { findColumn } from './shape/find-column.ts'
import { TableError } from './shape/table-error.ts'
import { say, Sentence } from '../kernel/sentence.ts'
import type { PreparedSheet } from './shape/table-shape.ts'
import type { TableSource } from './shape/table-source.ts'
import type { SheetView } from './shape/sheet-view.ts'
import type { Tables } from './tables.ts'
import {
  COLUMN_LIMIT,
  type ColumnPresentation,
  type ExportColumn,
  type ExportPlan,
  type ExportRow,
  type ExportType,
} from './shape/export-plan.ts'
import { exportStart, formatFacts } from './export/export-format.ts'
import { isThere, startedEarly } from './export/start-early.ts'
import { viewWords } from './export/view-words.ts'
import { writeExport } from './export/write-export.ts'

/** All rows of a view of a stored file. */
export interface FileExport {
  readonly source: TableSource
  /** `all`: every sheet, whole. */
  readonly sheet?: string | { readonly all: true } | undefined
  /** Its `columns` select and order what is exported. */
  readonly view?: SheetView | undefined
}
/** Rows that the caller already has. Values of JSON; anything not in `columns` is left out. */
export interface RowsExport {
  /** The owner, if any. */
  readonly owner?: string
  readonly columns: readonly { readonly key: string; readonly label?: string; readonly type?: ExportType }[]
  readonly rows: readonly Readonly<Record<string, unknown>>[]
}
export interface ExportOptions {
  /** Names file and sheet; null: the name of the source. */
  readonly title: string | null
  readonly presentation: Readonly<Record<string, ColumnPresentation>>
  /** The exporting user, by a name that people know. */
  readonly by: string
  readonly at: Date
  /** XLSX by default. */
  readonly format?: ExportFormat
  /**
   * The exporting user's: texts are sorted by its rules, and the notices in the file are written in it. English by
   * default.
   */
  readonly language?: string | undefined
}
export interface ExportedTable {
  /** A file name, with its extension. */
  readonly name: string
  readonly media_type: string
  readonly bytes: AsyncIterable<Uint8Array>
}

const TITLE_LIMIT = 120
const BATCH = 500
/** Sorting may take longer; then the workbook begins before its rows are known. */
const SOON_MS = 150
/** Bytes of a file up to which reading all of it is as quick as reading the beginning. */
const SMALL = 1024 * 1024

/**
 * A table as a file, written while it is read. The work ends when the caller stops taking `bytes` or `signal` is
 * aborted.
 * @throws {TableError} before the first byte for an invalid file, sheet, view or column; later from `bytes`
 */
export async function exportTable(
  tables: Tables,
  from: FileExport | RowsExport,
  options: ExportOptions,
  signal: AbortSignal,
): Promise<ExportedTable> {
  return 'source' in from ? exportFile(tables, from, options, signal) : exportGiven(tables, from, options, signal)
}

async function exportFile(
  tables: Tables,
  { source, sheet: wanted, view = {} }: FileExport,
  options: ExportOptions,
  signal: AbortSignal,
): Promise<ExportedTable> {
  const { format = 'xlsx', language = 'en' } = options
  const all = typeof wanted === 'object'
  const fileTitle = source.name.replace(/\.[a-z0-9]{1,10}$/i, '')
  const titleFor = (sheet: string, sheets: number): string =>
    titleOf(options.title ?? (sheets > 1 && !all ? `${fileTitle} ${sheet}` : fileTitle))
  let title = titleFor('', 1)
  const facts = formatFacts(format, all && format !== 'xlsx')
  const named = (): Omit<ExportedTable, 'bytes'> => ({
    name: `${fileName(title)}.${facts.extension}`,
    media_type: facts.media_type,
  })
  const planFor = ({ sheet, sheets }: { sheet: PreparedSheet; sheets: number }): ExportPlan => {
    title = titleFor(sheet.name, sheets)
    const columns = shownColumns(sheet.columns, view)
    return {
      ...planOf(all ? titleOf(sheet.name) : title, options),
      columns: columns.map(({ key, label, type, cast }) => ({ key, label, type, cast })),
      origin: originOf(source, sheet, view, options),
      notices: sheet.notices.map((notice) => Sentence.unpack(notice).in(language)),
    }
  }
  const stop = new AbortController()
  const both = AbortSignal.any([signal, stop.signal])
  const isRead = await tables.isRead(source)
  const whole = tables.export(
    source,
    { sheet: wanted, view, format, title: all ? title : null, language: options.language },
    planFor,
    both,
  )
  // It may fail while the beginning is still being examined, before anything awaits it.
  whole.catch(() => undefined)
  // Whether a filter's value fits depends on types that only the whole file reveals, so the answer waits for them.
  const waits = all || (view.filters ?? []).length > 0 || (!isRead && source.size <= SMALL)
  // A large file that was never read won't be ready soon: waiting gains nothing.
  if (waits || (isRead && (await isThere(whole, SOON_MS)))) {
    const bytes = await whole
    return { ...named(), bytes }
  }
  try {
    const begin = await tables.preview(source, { sheet: all ? undefined : wanted, rows: 1 }, both)
    shownColumns(begin.columns, view)
    for (const { column } of view.sort ?? []) findColumn(begin.columns, column)
    title = titleFor(begin.sheet, begin.sheets.length)
    const start = await exportStart(format, planOf(title, options))
    if (start === null) return { ...named(), bytes: await whole }
    return { ...named(), bytes: startedEarly(start, whole, () => stop.abort()) }
  } catch (error) {
    stop.abort()
    await whole.catch(() => undefined)
    throw error
  }
}

async function exportGiven(
  tables: Tables,
  given: RowsExport,
  options: ExportOptions,
  signal: AbortSignal,
): Promise<ExportedTable> {
  const { owner = '', columns, rows } = given
  const { format = 'xlsx' } = options
  const title = titleOf(options.title ?? 'Table')
  const plan = planGiven(given, title, options)
  const { extension, media_type } = formatFacts(format, false)
  const bytes =
    format === 'parquet'
      ? await tables.exportRows(
          owner,
          plan,
          rows.map((row) => cellsOf(row, columns)),
          signal,
        )
      : writeExport({ format, book: planOf(title, options), archive: false }, [
          { plan, batches: batchesOf(columns, rows, signal) },
        ])
  return { name: `${fileName(title)}.${extension}`, media_type, bytes }
}

/** Rows that are a sheet of a workbook. */
export interface SheetExport extends Pick<RowsExport, 'columns' | 'rows'> {
  readonly title: string
  /** Sentences about what was left out. */
  readonly notices: readonly string[]
}

/** Several tables of rows as one workbook, a sheet each. @throws {TableError} as `exportTable` */
export function exportSheets(
  sheets: readonly SheetExport[],
  options: Omit<ExportOptions, 'format' | 'presentation'>,
  signal: AbortSignal,
): ExportedTable {
  const title = titleOf(options.title ?? 'Table')
  const shown = { ...options, presentation: {} }
  const written = sheets.map((sheet) => ({
    plan: { ...planGiven(sheet, titleOf(sheet.title), shown), notices: sheet.notices },
    batches: batchesOf(sheet.columns, sheet.rows, signal),
  }))
  const { extension, media_type } = formatFacts('xlsx', false)
  const bytes = writeExport({ format: 'xlsx', book: planOf(title, shown), archive: false }, written)
  return { name: `${fileName(title)}.${extension}`, media_type, bytes }
}

function planGiven(
  { columns, rows }: Pick<RowsExport, 'columns' | 'rows'>,
  title: string,
  options: ExportOptions,
): ExportPlan {
  checkColumns(columns.length)
  return {
    ...planOf(title, options),
    columns: columns.map(({ key, label = key, type }): ExportColumn => ({
      key,
      label,
      type: type ?? typeOf(key, rows),
      cast: null,
    })),
    origin: [['Source', say`A table from a conversation, as it was shown there.`.in(options.language ?? 'en')]],
    notices: [],
  }
}

function cellsOf(row: RowsExport['rows'][number], columns: RowsExport['columns']): ExportRow {
  return columns.map(({ key }) => (Object.hasOwn(row, key) ? row[key] : null))
}

async function* batchesOf(
  columns: RowsExport['columns'],
  rows: RowsExport['rows'],
  signal: AbortSignal,
): AsyncGenerator<ExportRow[]> {
  for (let from = 0; from < rows.length; from += BATCH) {
    if (signal.aborted) throw new TableError('cancelled', say`It was stopped.`)
    yield rows.slice(from, from + BATCH).map((row) => cellsOf(row, columns))
  }
}

function planOf(
  title: string,
  { presentation, by, at, language }: ExportOptions,
): Pick<ExportPlan, 'title' | 'presentation' | 'by' | 'at' | 'language'> {
  return { title, presentation, by, at: at.toISOString(), language }
}

function shownColumns<Column extends { readonly key: string }>(
  columns: readonly Column[],
  view: SheetView,
): readonly Column[] {
  const shown = view.columns?.map((key) => findColumn(columns, key)) ?? columns
  checkColumns(shown.length)
  return shown
}

function originOf(
  source: TableSource,
  sheet: PreparedSheet,
  view: SheetView,
  { presentation, language = 'en' }: ExportOptions,
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
    ['View', viewWords(view, label).in(language)],
  ]
}

/** The type shared by all values of a column; text if they differ. */
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
    throw new TableError('too_large', say`A spreadsheet holds at most ${COLUMN_LIMIT} columns, but there are ${count}.`)
}

function titleOf(text: string): string {
  const clean = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
  return cut(clean, TITLE_LIMIT).trim() || 'Table'
}

/** Removes characters that some file system refuses. */
function fileName(title: string): string {
  return `${title.replace(/[\\/:*?"<>|]+/g, '-').replace(/^\.+|[. ]+$/g, '') || 'Table'}`
}

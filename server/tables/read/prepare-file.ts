import type { TableReading } from '../../../contract/table-reading.ts'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Allowance } from '../draft/allowance.ts'
import { castTo } from './cast-to.ts'
import { nameColumns } from '../shape/column-keys.ts'
import { detectFormat, type TableFormat } from './detect-format.ts'
import { openDuck, type Duck } from '../query/duck.ts'
import { engineFailure } from '../query/engine-failure.ts'
import { inferTypes } from './infer-types.ts'
import { keepWritten } from './keep-written.ts'
import { shownRows, shownSql } from '../query/shown-rows.ts'
import type { FileDraft, Reading, SheetDraft, SheetReader } from '../draft/sheet-draft.ts'
import { sqlText } from '../shape/sql-text.ts'
import { say } from '../../kernel/sentence.ts'
import { TableError } from '../shape/table-error.ts'
import { DATA_FILE, type PrepareJob, type PreviewJob, type PreviewRows } from '../shape/table-job.ts'
import type { PreparedFile, PreparedSheet } from '../shape/table-shape.ts'
import { watchGrowth } from './watch-growth.ts'

/** Loaded on demand. */
export const READERS: Record<TableFormat, () => Promise<SheetReader>> = {
  csv: async () => (await import('../csv/csv-source.ts')).readCsv,
  json: async () => (await import('../json/json-source.ts')).readJson,
  parquet: async () => (await import('../parquet/parquet-source.ts')).readParquet,
  sqlite: async () => (await import('../sqlite/sqlite-source.ts')).readSqlite,
  xlsx: async () => (await import('../xlsx/xlsx-source.ts')).readXlsx,
  xls: async () => (await import('../xls/xls-source.ts')).readXls,
  ods: async () => (await import('../ods/ods-source.ts')).readOds,
}
const THREADS = 2
/** A table of thousands of columns needs most of this while it is written. */
const MEMORY = 768
const COPIES = 3

/**
 * Turns a file into its cached form, once: every sheet becomes a table of text, with its column types beside it.
 * @throws {TableError}
 */
export async function prepareFile(job: PrepareJob): Promise<PreparedFile> {
  const file = join(job.out, DATA_FILE)
  return withFile(job, [job.scratch, job.out], { rows: null, sheet: null }, async (duck, draft) => {
    await duck.run(`ATTACH ${sqlText(file)} AS data`)
    const sheets: PreparedSheet[] = []
    for (const [index, sheet] of draft.sheets.entries())
      sheets.push(await storeSheet(duck, `data.t${index}`, sheet, job.reading))
    await duck.run('DETACH data')
    return { ...draft, sheets }
  })
}

/** The first rows of a sheet, reading no more of the file than they need. @throws {TableError} */
export async function previewFile(job: PreviewJob): Promise<PreviewRows> {
  return withFile(job, [job.scratch], job, async (duck, draft) => {
    const found = draft.sheets.findIndex(({ name }) => name.toLowerCase() === job.sheet?.toLowerCase())
    const wanted = job.sheet === null ? 0 : found
    const sheets: PreparedSheet[] = []
    for (const [index, sheet] of draft.sheets.entries())
      sheets.push(
        index === wanted
          ? await storeSheet(duck, 't', sheet, job.reading, job.rows)
          : { name: sheet.name, columns: [], rows: 0, notices: sheet.notices.map((notice) => notice.pack()) },
      )
    const shown = sheets[wanted]
    const file = { ...draft, sheets }
    if (shown === undefined) return { file, sheet: wanted, rows: [] }
    const { columns } = shown
    const places = columns.map((_, i) => i)
    const rows = await duck.rows(`SELECT ${shownSql(columns, places)} FROM t`)
    return { file, sheet: wanted, ...shownRows(rows, columns) }
  })
}

async function withFile<T>(
  { path, name, scratch, reading }: PrepareJob | PreviewJob,
  folders: readonly string[],
  { rows, sheet }: Pick<Reading, 'rows' | 'sheet'>,
  work: (duck: Duck, draft: FileDraft & { format: TableFormat }) => Promise<T>,
): Promise<T> {
  const format = await detectFormat(path, name)
  const { size } = await stat(path)
  const allowance = new Allowance(size)
  using duck = await openDuck({ threads: THREADS, memory: MEMORY, scratch })
  await duck.lock([path], folders)
  let over = false
  // The file itself may be in the folder; rows are written as text, then in the engine's own format, and may be
  // spilled.
  using _watch = watchGrowth(scratch, size + COPIES * allowance.most, () => {
    over = true
    duck.interrupt()
  })
  try {
    const read = await READERS[format]()
    const draft = await read({ duck, path, name, scratch, allowance, rows, sheet, choice: reading })
    return await work(duck, { format, ...draft })
  } catch (error) {
    if (over) throw allowance.exceeded()
    throw error instanceof TableError
      ? error
      : engineFailure(error, say`The file "${name}" cannot be read as ${format.toUpperCase()}`)
  }
}

async function storeSheet(
  duck: Duck,
  table: string,
  draft: SheetDraft,
  reading: TableReading,
  limit?: number,
): Promise<PreparedSheet> {
  try {
    await duck.run(`CREATE TABLE ${table} AS ${draft.select}${limit === undefined ? '' : ` LIMIT ${limit}`}`)
  } catch (error) {
    if (draft.fallback === undefined) throw error
    await duck.run(`DROP TABLE IF EXISTS ${table}`)
    return storeSheet(duck, table, await draft.fallback(error), reading, limit)
  }
  const named = nameColumns(draft.columns.map(({ label }) => label))
  const types = await inferTypes(duck, table, draft.columns)
  const columns = named.map((names, i) => ({ ...names, ...types[i]! }))
  const notices = [...draft.notices]
  const chosen = reading.sheets?.[draft.name]?.types ?? {}
  for (const [i, column] of columns.entries()) {
    const type = Object.hasOwn(chosen, column.key) ? chosen[column.key] : undefined
    if (type === undefined || type === column.type) continue
    if (column.written !== undefined && column.type === 'integer' && type === 'number') {
      columns[i] = { ...column, type, cast: { kind: 'number', scale: 0, comma: false } }
      continue
    }
    const { cast, unfit } = await castTo(duck, table, i, type)
    columns[i] = { ...column, type, cast, written: undefined }
    if (unfit > 0)
      notices.push(
        say`Cells of "${column.label}" that do not fit the chosen type, shown as they are in the file: ${unfit}.`,
      )
  }
  await keepWritten(duck, table, columns)
  for (const { label, written } of columns)
    if (written !== undefined)
      notices.push(say`"${label}" holds text that was read as ${written.words}; it shows as it is in the file.`)
  const [[rows] = [0n]] = (await duck.rows(`SELECT count(*) FROM ${table}`)) as [bigint][]
  return {
    name: draft.name,
    columns: columns.map(({ written, ...column }) => (written === undefined ? column : { ...column, written: true })),
    rows: Number(rows),
    notices: notices.map((notice) => notice.pack()),
    ...(draft.header_row === undefined ? {} : { header_row: draft.header_row }),
  }
}

import { join } from 'node:path'
import { rowOf } from './cell.ts'
import { nameColumns } from './column-keys.ts'
import { detectFormat, type TableFormat } from './detect-format.ts'
import { openDuck, type Duck } from './duck.ts'
import { engineFailure } from './engine-failure.ts'
import { inferTypes } from './infer-types.ts'
import type { FileDraft, Reading, SheetDraft, SheetReader } from './sheet-draft.ts'
import { sqlText } from './sql-text.ts'
import { say } from '../kernel/sentence.ts'
import { TableError } from './table-error.ts'
import { DATA_FILE, type PrepareJob, type PreviewJob, type PreviewRows } from './table-job.ts'
import type { PreparedFile, PreparedSheet } from './table-shape.ts'

/** Loaded when a file of their kind comes. */
const READERS: Record<TableFormat, () => Promise<SheetReader>> = {
  csv: async () => (await import('./csv-source.ts')).readCsv,
  json: async () => (await import('./json-source.ts')).readJson,
  parquet: async () => (await import('./parquet-source.ts')).readParquet,
  sqlite: async () => (await import('./sqlite-source.ts')).readSqlite,
  xlsx: async () => (await import('./xlsx/xlsx-source.ts')).readXlsx,
  xls: async () => (await import('./xls/xls-source.ts')).readXls,
  ods: async () => (await import('./ods/ods-source.ts')).readOds,
}
const THREADS = 2
/** A table of thousands of columns needs most of it while it is written. */
const MEMORY = 768

/** Turns a file into its cached form, once: every sheet a table of text, with the types of its columns beside it. @throws {TableError} */
export async function prepareFile(job: PrepareJob): Promise<PreparedFile> {
  const file = join(job.out, DATA_FILE)
  return withFile(job, [job.scratch, job.out], { rows: null, sheet: null }, async (duck, draft) => {
    await duck.run(`ATTACH ${sqlText(file)} AS data`)
    const sheets: PreparedSheet[] = []
    for (const [index, sheet] of draft.sheets.entries()) sheets.push(await storeSheet(duck, `data.t${index}`, sheet))
    await duck.run('DETACH data')
    return { ...draft, sheets }
  })
}

/** The first rows of a sheet, without reading more of the file than they need. @throws {TableError} */
export async function previewFile(job: PreviewJob): Promise<PreviewRows> {
  return withFile(job, [job.scratch], job, async (duck, draft) => {
    const found = draft.sheets.findIndex(({ name }) => name.toLowerCase() === job.sheet?.toLowerCase())
    const wanted = job.sheet === null ? 0 : found
    const sheets: PreparedSheet[] = []
    for (const [index, sheet] of draft.sheets.entries())
      sheets.push(
        index === wanted
          ? await storeSheet(duck, 't', sheet, job.rows)
          : { name: sheet.name, columns: [], rows: 0, notices: sheet.notices },
      )
    const shown = sheets[wanted]
    const rows = shown === undefined ? [] : await duck.rows('SELECT * FROM t')
    return { file: { ...draft, sheets }, sheet: wanted, rows: rows.map((row) => rowOf(row, shown!.columns)) }
  })
}

async function withFile<T>(
  { path, name, scratch }: PrepareJob | PreviewJob,
  folders: readonly string[],
  { rows, sheet }: Pick<Reading, 'rows' | 'sheet'>,
  work: (duck: Duck, draft: FileDraft & { format: TableFormat }) => Promise<T>,
): Promise<T> {
  const format = await detectFormat(path, name)
  using duck = await openDuck({ threads: THREADS, memory: MEMORY, scratch })
  await duck.lock([path], folders)
  try {
    const read = await READERS[format]()
    const draft = await read({ duck, path, name, scratch, rows, sheet })
    return await work(duck, { format, ...draft })
  } catch (error) {
    throw error instanceof TableError
      ? error
      : engineFailure(error, say`The file "${name}" cannot be read as ${format.toUpperCase()}`)
  }
}

async function storeSheet(duck: Duck, table: string, draft: SheetDraft, limit?: number): Promise<PreparedSheet> {
  try {
    await duck.run(`CREATE TABLE ${table} AS ${draft.select}${limit === undefined ? '' : ` LIMIT ${limit}`}`)
  } catch (error) {
    if (draft.fallback === undefined) throw error
    await duck.run(`DROP TABLE IF EXISTS ${table}`)
    return storeSheet(duck, table, await draft.fallback(), limit)
  }
  const named = nameColumns(draft.columns.map(({ label }) => label))
  const types = await inferTypes(
    duck,
    table,
    named.length,
    draft.columns.map(({ text }) => text),
  )
  const [[rows] = [0n]] = (await duck.rows(`SELECT count(*) FROM ${table}`)) as [bigint][]
  return {
    name: draft.name,
    columns: named.map((names, i) => ({ ...names, ...types[i]! })),
    rows: Number(rows),
    notices: draft.notices,
  }
}

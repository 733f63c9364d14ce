import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { csvSelect } from './csv-select.ts'
import { openRowFile } from './row-file.ts'
import type { SheetDraft, SheetReader } from './sheet-draft.ts'
import { sqlName } from './sql-text.ts'
import { TableError } from './table-error.ts'
import { say } from '../kernel/sentence.ts'
import { COLUMN_LIMIT, SHEET_LIMIT } from './table-shape.ts'

const DRAIN_EVERY = 1000

/** SQLite: every table is a sheet. Views are left out: what they compute is the file's own SQL. */
export const readSqlite: SheetReader = async ({ path, scratch, rows }) => {
  using database = openReadOnly(path)
  const names = tableNames(database)
  if (names.length === 0) throw new TableError('unreadable', say`This SQLite database has no tables.`)
  const notices =
    names.length > SHEET_LIMIT ? [`Only the first ${SHEET_LIMIT} of ${names.length} tables were read.`] : []
  const sheets: SheetDraft[] = []
  for (const [index, name] of names.slice(0, SHEET_LIMIT).entries())
    sheets.push(await readTable(database, { name, rows }, join(scratch, `sheet-${index}.csv`), notices))
  return { encoding: null, delimiter: null, sheets }
}

function openReadOnly(path: string): DatabaseSync {
  try {
    return new DatabaseSync(path, { readOnly: true, allowExtension: false, readBigInts: true })
  } catch {
    throw new TableError('unreadable', say`This file cannot be opened as an SQLite database.`)
  }
}

function tableNames(database: DatabaseSync): string[] {
  try {
    return database
      .prepare(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY rowid",
      )
      .all()
      .map((row) => String(row['name']))
  } catch {
    throw new TableError('unreadable', say`This SQLite database is damaged, or encrypted.`)
  }
}

async function readTable(
  database: DatabaseSync,
  { name, rows: wanted }: { name: string; rows: number | null },
  file: string,
  notices: readonly string[],
): Promise<SheetDraft> {
  const rows = openRowFile(file)
  try {
    const query = database.prepare(`SELECT * FROM ${sqlName(name)}${wanted === null ? '' : ` LIMIT ${wanted}`}`)
    const labels = query.columns().map((column) => column.name)
    if (labels.length > COLUMN_LIMIT)
      throw new TableError(
        'too_large',
        say`The table "${name}" has ${labels.length} columns; at most ${COLUMN_LIMIT} can be read.`,
      )
    query.setReturnArrays(true)
    for (const row of query.iterate() as Iterable<unknown>) {
      rows.write((row as unknown[]).map(cellText))
      if (rows.rows % DRAIN_EVERY === 0) await rows.ready()
    }
    await rows.close()
    const select = csvSelect(file, { delimiter: ',', skip: 0, width: labels.length, padded: true })
    return { name, columns: labels.map((label) => ({ label, text: false })), select, notices }
  } catch (error) {
    await rows.close()
    if (error instanceof TableError) throw error
    throw new TableError('unreadable', say`The table "${name}" of this SQLite database cannot be read.`)
  }
}

function cellText(value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value.subarray(0, 1000)).toString('hex')}`
  return typeof value === 'string' ? value : `${value as number | bigint}`
}

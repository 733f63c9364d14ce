import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { csvSelect } from '../csv/csv-select.ts'
import { openRowFile, type RowFile } from '../draft/row-file.ts'
import type { SheetDraft, SheetReader } from '../draft/sheet-draft.ts'
import { sqlName } from '../shape/sql-text.ts'
import { TableError } from '../shape/table-error.ts'
import { say } from '../../kernel/sentence.ts'
import { COLUMN_LIMIT, SHEET_LIMIT } from '../shape/table-shape.ts'

const DRAIN_EVERY = 1000
/** The value of `hidden` for a column that is computed whenever it is read. */
const COMPUTED = 2n

/** SQLite: every table is a sheet. Views and computed columns are left out: what they compute is the file's own SQL. */
export const readSqlite: SheetReader = async ({ path, scratch, rows, allowance }) => {
  using database = openReadOnly(path)
  const names = tableNames(database)
  if (names.length === 0) throw new TableError('unreadable', say`This SQLite database has no tables.`)
  const notices =
    names.length > SHEET_LIMIT ? [say`Only the first ${SHEET_LIMIT} of ${names.length} tables were read.`] : []
  const sheets: SheetDraft[] = []
  for (const [index, name] of names.slice(0, SHEET_LIMIT).entries()) {
    const file = join(scratch, `sheet-${index}.csv`)
    const { labels, computed } = columnsOf(database, name)
    const query = `SELECT ${labels.map(sqlName).join(', ')} FROM ${sqlName(name)}${rows === null ? '' : ` LIMIT ${rows}`}`
    await writeRows(database, { name, query }, openRowFile(file, allowance))
    sheets.push({
      name,
      columns: labels.map((label) => ({ label, text: false })),
      select: csvSelect(file, { delimiter: ',', skip: 0, width: labels.length, padded: true, ours: true }),
      notices: [
        ...notices,
        ...computed.map((label) => say`The column "${label}" is computed by the file's own SQL and was left out.`),
      ],
    })
  }
  return { encoding: null, delimiter: null, sheets }
}

function openReadOnly(path: string): DatabaseSync {
  try {
    const database = new DatabaseSync(path, { readOnly: true, allowExtension: false, readBigInts: true })
    // The schema is untrusted, and so are the pages.
    database.exec('PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0')
    return database
  } catch {
    throw new TableError('unreadable', say`This file cannot be opened as an SQLite database.`)
  }
}

/** Real tables only, in order of creation: the content of a virtual one is computed by an SQLite module. */
function tableNames(database: DatabaseSync): string[] {
  try {
    const real = new Set(
      database
        .prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'")
        .all()
        .map((row) => String(row['name'])),
    )
    return database
      .prepare(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid",
      )
      .all()
      .map((row) => String(row['name']))
      .filter((name) => real.has(name))
  } catch {
    throw new TableError('unreadable', say`This SQLite database is damaged, or encrypted.`)
  }
}

function columnsOf(database: DatabaseSync, table: string): { labels: string[]; computed: string[] } {
  const columns = read(table, () => database.prepare('SELECT name, hidden FROM pragma_table_xinfo(?)').all(table))
  const computed = columns.filter(({ hidden }) => hidden === COMPUTED).map(({ name }) => String(name))
  const labels = columns.filter(({ hidden }) => hidden !== COMPUTED).map(({ name }) => String(name))
  if (labels.length > COLUMN_LIMIT)
    throw new TableError(
      'too_large',
      say`The table "${table}" has ${labels.length} columns; at most ${COLUMN_LIMIT} can be read.`,
    )
  return { labels, computed }
}

async function writeRows(
  database: DatabaseSync,
  { name, query }: { name: string; query: string },
  rows: RowFile,
): Promise<void> {
  try {
    const found = read(name, () => {
      const statement = database.prepare(query)
      statement.setReturnArrays(true)
      return statement.iterate() as Iterable<unknown>
    })
    const each = found[Symbol.iterator]()
    for (let next = read(name, () => each.next()); next.done !== true; next = read(name, () => each.next())) {
      rows.write((next.value as unknown[]).map(cellText))
      if (rows.rows % DRAIN_EVERY === 0) await rows.ready()
    }
  } finally {
    await rows.close()
  }
}

function read<T>(table: string, work: () => T): T {
  try {
    return work()
  } catch {
    throw new TableError('unreadable', say`The table "${table}" of this SQLite database cannot be read.`)
  }
}

function cellText(value: unknown): string | null {
  if (value === null || value === undefined) return null
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value.subarray(0, 1000)).toString('hex')}`
  return typeof value === 'string' ? value : `${value as number | bigint}`
}

import { constants, DatabaseSync } from 'node:sqlite'
import type { SqliteCell, SqliteQuestion, SqliteRows } from './sqlite-question.ts'

/** Limit of one value in bytes; the total memory of a statement is watched from outside (sqlite-process.ts). */
const LENGTH_LIMIT = 64 * 1024 * 1024
/** Pragmas that only describe the schema; SQL can call them as functions (`pragma_table_info('t')`). */
const PRAGMAS = [
  'table_info',
  'table_xinfo',
  'table_list',
  'index_list',
  'index_info',
  'index_xinfo',
  'foreign_key_list',
  'database_list',
]
const FUNCTIONS = /^(load_extension|fts3_tokenizer|readfile|writefile|edit)$/i

/** Runs the statements on the file and reads their rows. @throws {Error} with SQLite's message */
export function runSqlite(question: SqliteQuestion): SqliteRows[] {
  const { file, mode, statements } = question
  const write = mode === 'write' || mode === 'attempt'
  using database = new DatabaseSync(file, {
    readOnly: !write,
    timeout: Math.min(question.timeout_ms, 5000),
    allowExtension: false,
    enableDoubleQuotedStringLiterals: false,
    limits: { length: LENGTH_LIMIT },
  })
  database.exec('pragma trusted_schema = off; pragma cell_size_check = on')
  if (!write) database.exec('pragma query_only = on')
  if (write) database.exec('pragma foreign_keys = on; begin immediate')
  database.setAuthorizer((action, first, second) =>
    mayDo(action, first, second, mode) ? constants.SQLITE_OK : constants.SQLITE_DENY,
  )
  const results = statements.map((statement) => runStatement(database, statement, question))
  if (write) {
    database.setAuthorizer(null)
    database.exec(mode === 'write' ? 'commit' : 'rollback')
  }
  return results
}

function mayDo(action: number, first: string | null, second: string | null, mode: SqliteQuestion['mode']): boolean {
  switch (action) {
    case constants.SQLITE_SELECT:
    case constants.SQLITE_READ:
    case constants.SQLITE_RECURSIVE:
      return true
    case constants.SQLITE_FUNCTION:
      return !FUNCTIONS.test(second ?? '')
    case constants.SQLITE_PRAGMA:
      return PRAGMAS.includes((first ?? '').toLowerCase())
    // Refuses other files, and ending the transaction that this runs in.
    case constants.SQLITE_ATTACH:
    case constants.SQLITE_DETACH:
    case constants.SQLITE_TRANSACTION:
    case constants.SQLITE_SAVEPOINT:
      return false
    default:
      return mode !== 'read'
  }
}

function runStatement(
  database: DatabaseSync,
  { sql, parameters }: SqliteQuestion['statements'][number],
  { limit, size: most, mode }: SqliteQuestion,
): SqliteRows {
  const statement = database.prepare(sql)
  statement.setReadBigInts(true)
  statement.setReturnArrays(true)
  const columns = statement.columns().map(({ name }) => name)
  const values = parameters.map((value) => (typeof value === 'boolean' ? Number(value) : value))
  if (columns.length === 0) {
    const { changes } = statement.run(...values)
    return { columns, rows: [], more: false, too_large: false, affected: Number(changes) }
  }
  const rows: SqliteCell[][] = []
  let size = 0
  let count = 0
  let more = false
  let too_large = false
  for (const row of statement.iterate(...values) as Iterable<unknown> as Iterable<SqliteCell[]>) {
    count++
    more ||= rows.length >= limit
    too_large ||= !more && size > most
    if (!more && !too_large) {
      rows.push(row)
      for (const cell of row) size += typeof cell === 'string' || cell instanceof Uint8Array ? cell.length : 8
    }
    // A change with RETURNING must run to its end.
    else if (mode !== 'write' && mode !== 'attempt') break
  }
  return { columns, rows, more: more || too_large, too_large, affected: mode === 'attempt' ? count : null }
}

import { closeSync, fsyncSync, openSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue, type SQLOutputValue, type StatementSync } from 'node:sqlite'
import { type CreateTableBuilder, SqliteDialect, type Dialect as KyselyDialect, type SqliteDatabase } from 'kysely'
import { DATABASE_TIME } from './database-time.ts'
import type { Dialect } from './dialect.ts'
import { createPrivate } from './private-file.ts'

/** Statements kept prepared: more than the program has, so only hand-written SQL ever evicts one. */
const STATEMENT_CACHE = 500

/** Pages that a connection keeps in memory: 16 MB (the pragma takes KiB as a negative number). */
const CACHE = -16_000

/**
 * SQLite inside the process: one file, one connection that writes and one that reads, write-ahead log, every commit on
 * disk before it is acknowledged (synchronous FULL). Readers see the last commit, whatever a transaction is doing.
 */
export function openSqlite(
  file: string,
  backupFolder: string,
  { durable = true } = {},
): { kysely: KyselyDialect; reader: KyselyDialect; dialect: Dialect } {
  createPrivate(file)
  const database = new DatabaseSync(file, { timeout: 5000, enableForeignKeyConstraints: true })
  database.exec(
    `pragma journal_mode = wal; pragma synchronous = ${durable ? 'full' : 'off'}; pragma temp_store = memory; pragma cache_size = ${CACHE}`,
  )

  const dialect: Dialect = {
    name: 'sqlite',
    file,
    counter:
      (column) =>
      <T extends CreateTableBuilder<never, never>>(table: T) =>
        table.addColumn(column as never, 'integer', (c) => c.primaryKey().autoIncrement()) as unknown as T,
    // One connection writes: transactions are sequential anyway.
    serialize: async () => {},
    trySerialize: async () => true,
    share: async () => {},
    now: DATABASE_TIME.sqlite,
    isUniqueViolation: (error) =>
      error instanceof Error && 'errcode' in error && (error.errcode === 2067 || error.errcode === 1555),
    backup: async (label) => {
      const target = join(backupFolder, `reeve-${label}-${new Date().toISOString().replace(/[:.]/g, '-')}.db`)
      // Killed in the middle, it leaves something that isn't mistaken for a copy; the next start removes it.
      const unfinished = `${target}.unfinished`
      createPrivate(unfinished)
      database.prepare('vacuum into ?').run(unfinished)
      syncFile(unfinished)
      renameSync(unfinished, target)
      syncFile(backupFolder)
      return target
    },
    // The embedded database belongs to one process.
    notify: async () => {},
    listen: async () => {},
    isListening: () => true,
    shortage: () => null,
    changeSchema: (db, work) => db.transaction().execute(work),
    unhurried: async () => {},
    othersRun: async () => false,
    exclusively: (_db, work) => work(),
    close: async () => {},
  }
  return {
    kysely: new SqliteDialect({ database: new PreparedSqlite(database) }),
    reader: openSqliteReader(file),
    dialect,
  }
}

/** A rename survives a power cut only once the file, and then its folder, is on disk. */
function syncFile(path: string): void {
  const file = openSync(path, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** A read-only connection to the embedded database, opened at its first query. */
export function openSqliteReader(file: string): KyselyDialect {
  return new SqliteDialect({
    database: async () => {
      const database = new DatabaseSync(file, { timeout: 5000, readOnly: true })
      database.exec(`pragma temp_store = memory; pragma cache_size = ${CACHE}`)
      return new PreparedSqlite(database)
    },
  })
}

/** Gives Kysely's SQLite driver Node's own SQLite, with statements prepared once. */
class PreparedSqlite implements SqliteDatabase {
  readonly #database: DatabaseSync
  readonly #prepared = new Map<string, PreparedStatement>()

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  prepare(sql: string): PreparedStatement {
    // A deferred transaction that reads first and then writes can fail against another process (a backup, the command
    // line); an immediate one waits at its beginning instead.
    const text = sql === 'begin' ? 'begin immediate' : sql === 'rollback' ? this.#rollback() : sql
    let statement = this.#prepared.get(text)
    if (!statement) {
      statement = new PreparedStatement(this.#database.prepare(text))
      if (this.#prepared.size >= STATEMENT_CACHE) this.#prepared.delete(this.#prepared.keys().next().value!)
      this.#prepared.set(text, statement)
    }
    return statement
  }

  /** A full disk makes SQLite roll back by itself; another rollback would fail and hide the cause. */
  #rollback(): string {
    return this.#database.isTransaction ? 'rollback' : 'select 1'
  }

  close(): void {
    this.#prepared.clear()
    this.#database.close()
  }
}

/**
 * A statement whose rows are ordinary objects. Node's own have no prototype and stay slower to read: for a list of
 * fifty rows, building them here from arrays takes less than half of the time.
 */
class PreparedStatement {
  readonly reader: boolean
  readonly #statement: StatementSync
  readonly #columns: readonly string[]

  constructor(statement: StatementSync) {
    this.#statement = statement
    this.#columns = statement.columns().map((column) => column.name)
    this.reader = this.#columns.length > 0
    statement.setReturnArrays(true)
  }
  all(parameters: readonly unknown[]): unknown[] {
    const rows = this.#statement.all(...(parameters as SQLInputValue[])) as unknown as SQLOutputValue[][]
    return rows.map((values) => this.#toObject(values))
  }
  run(parameters: readonly unknown[]): { changes: number | bigint; lastInsertRowid: number | bigint } {
    return this.#statement.run(...(parameters as SQLInputValue[]))
  }
  *iterate(parameters: readonly unknown[]): IterableIterator<unknown> {
    const rows = this.#statement.iterate(...(parameters as SQLInputValue[])) as unknown as Iterable<SQLOutputValue[]>
    for (const values of rows) yield this.#toObject(values)
  }

  #toObject(values: readonly SQLOutputValue[]): Record<string, SQLOutputValue> {
    const row: Record<string, SQLOutputValue> = {}
    for (let i = 0; i < values.length; i++) row[this.#columns[i]!] = values[i]!
    return row
  }
}

import { closeSync, openSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync, type StatementSync, type SQLInputValue } from 'node:sqlite'
import { type CreateTableBuilder, SqliteDialect, type Dialect as KyselyDialect, type SqliteDatabase } from 'kysely'
import type { Dialect } from './dialect.ts'

/** Statements kept prepared: more than the program has, so only hand-made SQL ever evicts one. */
const STATEMENT_CACHE = 500

/**
 * SQLite inside the process: one file, one connection, write-ahead log, every commit on disk before it is acknowledged
 * (synchronous FULL).
 */
export function openSqlite(file: string, backupFolder: string): { kysely: KyselyDialect; dialect: Dialect } {
  const lock = lockFolder(dirname(file))
  createPrivate(file)
  const database = new DatabaseSync(file, { timeout: 5000, enableForeignKeyConstraints: true })
  database.exec(
    'pragma journal_mode = wal; pragma synchronous = full; pragma temp_store = memory; pragma cache_size = -32000',
  )

  const dialect: Dialect = {
    name: 'sqlite',
    counter:
      (column) =>
      <T extends CreateTableBuilder<never, never>>(table: T) =>
        table.addColumn(column as never, 'integer', (c) => c.primaryKey().autoIncrement()) as unknown as T,
    // One connection writes: transactions are one after the other anyway.
    serialize: async () => {},
    isUniqueViolation: (error) =>
      error instanceof Error && 'errcode' in error && (error.errcode === 2067 || error.errcode === 1555),
    backup: async (label) => {
      const target = join(backupFolder, `reeve-${label}-${new Date().toISOString().replace(/[:.]/g, '-')}.db`)
      createPrivate(target)
      database.prepare('vacuum into ?').run(target)
      return target
    },
    // The embedded database belongs to one process.
    notify: async () => {},
    listen: async () => {},
    exclusively: (_db, work) => work(),
    close: async () => lock.close(),
  }
  return { kysely: new SqliteDialect({ database: new PreparedSqlite(database) }), dialect }
}

/** Another process has the embedded database open; two would drive the same runs. */
export class FolderInUse extends Error {
  constructor(folder: string) {
    super(`Another Reeve is running on the data folder ${folder}. Stop it, or set REEVE_DATA_DIR to another folder.`)
    this.name = 'FolderInUse'
  }
}

/** Holds the folder for this process, by a lock of the operating system that ends with it, however it ends. */
function lockFolder(folder: string): DatabaseSync {
  const file = join(folder, 'reeve.lock')
  createPrivate(file)
  const lock = new DatabaseSync(file, { timeout: 0 })
  try {
    lock.exec('pragma locking_mode = exclusive; begin exclusive')
    return lock
  } catch {
    lock.close()
    throw new FolderInUse(folder)
  }
}

/** Makes the file for its owner alone, where it is missing: SQLite would let everybody on the machine read it. */
function createPrivate(file: string): void {
  closeSync(openSync(file, 'a', 0o600))
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
    const text = sql === 'begin' ? 'begin immediate' : sql
    let statement = this.#prepared.get(text)
    if (!statement) {
      statement = new PreparedStatement(this.#database.prepare(text))
      if (this.#prepared.size >= STATEMENT_CACHE) this.#prepared.delete(this.#prepared.keys().next().value!)
      this.#prepared.set(text, statement)
    }
    return statement
  }

  close(): void {
    this.#prepared.clear()
    this.#database.close()
  }
}

class PreparedStatement {
  readonly reader: boolean
  readonly #statement: StatementSync

  constructor(statement: StatementSync) {
    this.#statement = statement
    this.reader = statement.columns().length > 0
  }
  all(parameters: readonly unknown[]): unknown[] {
    return this.#statement.all(...(parameters as SQLInputValue[]))
  }
  run(parameters: readonly unknown[]): { changes: number | bigint; lastInsertRowid: number | bigint } {
    return this.#statement.run(...(parameters as SQLInputValue[]))
  }
  iterate(parameters: readonly unknown[]): IterableIterator<unknown> {
    return this.#statement.iterate(...(parameters as SQLInputValue[]))
  }
}

import { EventEmitter } from 'node:events'
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Kysely, sql, type Transaction } from 'kysely'
import type { Dialect } from './dialect.ts'
import { migrate, pendingMigrations } from './migrate.ts'
import { observed } from './observed.ts'
import { openPostgres } from './postgres.ts'
import type { Tables } from './schema.ts'
import { openSqlite } from './sqlite.ts'

export type Trx = Transaction<Tables>
/** Reads that work inside a transaction as well as outside. */
export type Reader = Kysely<Tables> | Trx

export interface DatabaseOptions {
  /** `postgres://…`; null for the embedded database in `folder`. */
  readonly url: string | null
  /** Data folder: the embedded database and the backups before migrations. */
  readonly folder: string
  readonly onError: (error: Error) => void
  /** Sees every statement before it runs (fault tests). */
  readonly observe?: ((sql: string) => void) | undefined
  /** Told how long each statement took, in milliseconds. */
  readonly onStatement?: ((ms: number) => void) | undefined
  /** Take the database as it is, for the command line beside a service that runs: no migration, no wake-ups heard. */
  readonly asItIs?: boolean | undefined
}

/** What opening did and left undone. */
export interface OpenedAs {
  readonly applied: string[]
  /** Where the copy from before the migrations is. */
  readonly backup: string | null
  /** Migrations that `asItIs` did not do. */
  readonly pending: string[]
}

/**
 * The one typed query layer over two databases: opens, migrates, runs transactions, and wakes who waits for rows.
 * A wake-up only says "look again": whoever misses one loses nothing, because what it is about is in the tables.
 */
export class Database {
  readonly read: Kysely<Tables>
  readonly dialect: Dialect
  readonly #wakeUps = new EventEmitter().setMaxListeners(0)
  readonly #afterCommit = new WeakMap<Trx, Set<string>>()
  readonly #onError: (error: Error) => void

  private constructor(read: Kysely<Tables>, dialect: Dialect, onError: (error: Error) => void) {
    this.read = read
    this.dialect = dialect
    this.#onError = onError
  }

  /** Opens and migrates. @throws {NewerDatabaseError} */
  static async open(options: DatabaseOptions): Promise<Database & OpenedAs> {
    const backups = join(options.folder, 'backups')
    const file = join(options.folder, 'reeve.db')
    if (!options.url) {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
      mkdirSync(backups, { recursive: true, mode: 0o700 })
    }
    const { kysely, dialect } = options.url
      ? await openPostgres(options.url, options.onError)
      : openSqlite(file, backups)
    const { onStatement } = options
    const db = new Kysely<Tables>({
      dialect: options.observe ? observed(kysely, options.observe) : kysely,
      ...(onStatement && { log: ({ queryDurationMillis }) => onStatement(queryDurationMillis) }),
    })
    try {
      if (options.asItIs) {
        const pending = await pendingMigrations(db)
        return Object.assign(new Database(db, dialect, options.onError), { applied: [], backup: null, pending })
      }
      const migrated = await migrate(db, dialect)
      const database = new Database(db, dialect, options.onError)
      const wakeUps = database.#wakeUps
      await dialect.listen(
        (payload) => wakeUps.emit(payload),
        // Looking once too often costs nothing.
        () => wakeUps.eventNames().forEach((topic) => wakeUps.emit(topic)),
      )
      return Object.assign(database, { ...migrated, pending: [] })
    } catch (error) {
      await db.destroy()
      await dialect.close()
      throw error
    }
  }

  /**
   * Runs `work` in one transaction. Nothing but queries may be awaited inside: on SQLite everybody else waits meanwhile.
   */
  async transaction<T>(work: (trx: Trx) => Promise<T>): Promise<T> {
    let woken: Set<string> | undefined
    const result = await this.read.transaction().execute(async (trx) => {
      const value = await work(trx)
      woken = this.#afterCommit.get(trx)
      if (woken) for (const topic of woken) await this.dialect.notify(trx, topic)
      return value
    })
    if (woken) for (const topic of woken) this.#wakeUps.emit(topic)
    return result
  }

  /** Wakes the topic's listeners, in every process, once `trx` is committed. A topic is an id. */
  wake(trx: Trx, topic: string): void {
    const topics = this.#afterCommit.get(trx)
    if (topics) topics.add(topic)
    else this.#afterCommit.set(trx, new Set([topic]))
  }

  /** Calls `listener` whenever the topic is woken, until the returned function is called. */
  onWake(topic: string, listener: () => void): () => void {
    const guarded = () => {
      try {
        listener()
      } catch (error) {
        this.#onError(error instanceof Error ? error : new Error(String(error)))
      }
    }
    this.#wakeUps.on(topic, guarded)
    return () => this.#wakeUps.off(topic, guarded)
  }

  isUniqueViolation(error: unknown): boolean {
    return this.dialect.isUniqueViolation(error)
  }

  /** @throws when the database does not answer. */
  async ping(): Promise<void> {
    await sql`select 1`.execute(this.read)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.read.destroy()
    await this.dialect.close()
  }
}

import { EventEmitter } from 'node:events'
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Kysely, type Dialect as KyselyDialect, type Transaction } from 'kysely'
import type { Dialect } from './dialect.ts'
import { StorageAway } from '../kernel/storage-failure.ts'
import { type ContractWhen, migrate, NewerDatabaseError, pendingMigrations } from './migrate.ts'
import { MIGRATIONS } from './migrations/index.ts'
import { observed } from './observed.ts'
import { openPostgres } from './postgres/postgres.ts'
import type { Reader } from './reader.ts'
import { REFUSE_WRITES } from './refuse-writes.ts'
import { countRevisions, Revisions } from './revisions.ts'
import type { Tables } from './schema.ts'
import { openSqlite } from './sqlite.ts'

/** How long the database may take to answer that it is there, in milliseconds. */
const PING = 3000

export type Trx = Transaction<Tables>
export type { Reader }

export interface DatabaseOptions {
  /** `postgres://…`; null for the embedded database in `folder`. */
  readonly url: string | null
  /** Connections to PostgreSQL, besides the one that listens. */
  readonly pool?: number | undefined
  /** PostgreSQL itself, where `url` is a pooler: to listen there. */
  readonly listenUrl?: string | null | undefined
  /** Data folder: the embedded database and the backups before migrations. */
  readonly folder: string
  readonly onError: (error: Error) => void
  /** Sees every statement before it runs (fault tests). */
  readonly observe?: ((sql: string) => void) | undefined
  /** Called with the duration of each statement in milliseconds. */
  readonly onStatement?: ((ms: number) => void) | undefined
  /**
   * Use the database as it is, for the command line alongside a running service: no migrations, no listening for
   * wake-ups.
   */
  readonly asItIs?: boolean | undefined
  /** When contract migrations are applied (`migrate`). */
  readonly contract?: ContractWhen | undefined
}

/** What opening a database did and what it left undone. */
export interface OpenedAs {
  readonly applied: string[]
  /** Where the copy from before the migrations is. */
  readonly backup: string | null
  /** Migrations without which this version cannot work, which `asItIs` did not run. */
  readonly pending: readonly string[]
  /** Contract migrations that were not run, because of `asItIs` or because others run. */
  readonly contract: readonly string[]
}

/**
 * The one typed query layer over two databases: opens, migrates, runs transactions, and wakes listeners that wait for
 * rows. A wake-up only says "look again": missing one loses nothing, because the facts are in the tables.
 */
export class Database {
  /**
   * Queries outside a transaction: they see what is committed and wait for no transaction. A statement that writes
   * doesn't compile here, and is refused when it comes as text.
   */
  readonly read: Reader
  /** Single statements that write. Statements that belong together go through `transaction`. */
  readonly write: Kysely<Tables>
  readonly dialect: Dialect
  /** What opening did and what it left undone. */
  readonly opened: OpenedAs
  /** What this process keeps copies of, and whether they are as new as the database. */
  readonly revisions: Revisions
  readonly #wakeUps: EventEmitter
  readonly #afterCommit = new WeakMap<Trx, Set<string>>()
  readonly #onError: (error: Error) => void

  readonly #connections: readonly Kysely<Tables>[]

  private constructor(
    { write, read }: { write: Kysely<Tables>; read: Kysely<Tables> },
    dialect: Dialect,
    opened: OpenedAs,
    onError: (error: Error) => void,
    wakeUps = new EventEmitter().setMaxListeners(0),
  ) {
    this.read = read.withPlugin(REFUSE_WRITES)
    this.write = write
    this.#connections = [...new Set([read, write])]
    this.dialect = dialect
    this.opened = opened
    this.#onError = onError
    this.#wakeUps = wakeUps
    this.revisions = new Revisions({ read: this.read, onWake: (...to) => this.onWake(...to), onError })
  }

  /** Opens and migrates. @throws {NewerDatabaseError} */
  static async open(options: DatabaseOptions): Promise<Database> {
    const backups = join(options.folder, 'backups')
    const file = join(options.folder, 'reeve.db')
    if (!options.url) {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
      mkdirSync(backups, { recursive: true, mode: 0o700 })
    }
    const { kysely, reader, dialect } = options.url
      ? await openPostgres(options.url, options)
      : openSqlite(file, backups)
    const { onStatement, observe } = options
    const connect = (to: KyselyDialect) =>
      new Kysely<Tables>({
        dialect: observe ? observed(to, observe) : to,
        ...(onStatement && { log: ({ queryDurationMillis }) => onStatement(queryDurationMillis) }),
      })
    const write = connect(kysely)
    const connections = { write, read: reader === null ? write : connect(reader) }
    try {
      if (options.asItIs) {
        const { needed: pending, contract } = await pendingMigrations(write)
        return new Database(connections, dialect, { applied: [], backup: null, pending, contract }, options.onError)
      }
      const wakeUps = new EventEmitter().setMaxListeners(0)
      // Before migrating, which needs an address of PostgreSQL itself as well.
      await dialect.listen(
        (payload) => wakeUps.emit(payload, false),
        () => wakeUps.eventNames().forEach((topic) => wakeUps.emit(topic, true)),
      )
      const migrated = await migrate(write, dialect, MIGRATIONS, options.contract)
      const database = new Database(connections, dialect, { ...migrated, pending: [] }, options.onError, wakeUps)
      await database.revisions.begin()
      return database
    } catch (error) {
      await Promise.all([connections.read.destroy(), write.destroy()])
      await dialect.close()
      throw error
    }
  }

  /** Runs `work` in one transaction. Await nothing but queries inside: on SQLite everything else waits meanwhile. */
  async transaction<T>(work: (trx: Trx) => Promise<T>): Promise<T> {
    let woken: Set<string> | undefined
    const result = await this.write.transaction().execute(async (trx) => {
      const value = await work(trx)
      woken = this.#afterCommit.get(trx)
      if (woken) {
        await countRevisions(trx, woken)
        await this.dialect.notify(trx, [...woken])
      }
      return value
    })
    if (woken) for (const topic of woken) this.#wakeUps.emit(topic, false)
    return result
  }

  /** Wakes the topic's listeners, in every process, once `trx` is committed. A topic is an id, or one that is REVISED. */
  wake(trx: Trx, topic: string): void {
    const topics = this.#afterCommit.get(trx)
    if (topics) topics.add(topic)
    else this.#afterCommit.set(trx, new Set([topic]))
  }

  /**
   * Calls `listener` whenever the topic is woken, and `missed` when it may have been and messages of other processes were
   * lost, until the returned function is called. Whoever looks again at rows needs no difference.
   */
  onWake(topic: string, listener: () => void, missed: () => void = listener): () => void {
    const guarded = (lost: boolean) => {
      try {
        if (lost) missed()
        else listener()
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

  /** Whether notifications of other processes currently arrive. */
  get hears(): boolean {
    return this.dialect.isListening()
  }

  /** Why a connection to the database cannot be had, as far as is known. */
  get shortage(): 'exhausted' | 'refused' | null {
    return this.dialect.shortage()
  }

  /** Whether the tables are still those that this version needs, whatever other versions have done meanwhile. */
  async fits(): Promise<boolean> {
    try {
      return (await pendingMigrations(this.write)).needed.length === 0
    } catch (error) {
      if (error instanceof NewerDatabaseError) return false
      throw error
    }
  }

  /** @throws when the database does not answer within 3 seconds */
  async ping(): Promise<void> {
    let late: NodeJS.Timeout | undefined
    const limit = new Promise<never>((_, reject) => {
      late = setTimeout(() => reject(new StorageAway(`The database has not answered for ${PING} ms.`)), PING)
    })
    try {
      await Promise.race([this.read.selectNoFrom((all) => all.lit(1).as('one')).execute(), limit])
    } finally {
      clearTimeout(late)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#connections.map((connection) => connection.destroy()))
    await this.dialect.close()
  }
}

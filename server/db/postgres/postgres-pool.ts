import type { PostgresPool as KyselyPool } from 'kysely'
import type pg from 'pg'
import { StorageAway } from '../../kernel/storage-failure.ts'
import { databaseFailure, refusesConnections } from './database-failure.ts'
import { dropConnection } from './drop-connection.ts'
import { PooledConnection } from './pooled-connection.ts'
import { ACQUIRE, GOODBYE, POOL_SESSION } from './postgres-limits.ts'
import { postgresTypes } from './postgres-types.ts'
import { withSession, type Connecting } from './session-settings.ts'

/** For so many milliseconds after a refusal no further connection is asked for, while there are others. */
const REFUSED = 1000

export interface PoolOptions {
  readonly url: string
  /** How many connections there may be at most. */
  readonly size: number
  readonly onError: (error: Error) => void
}

/** Why a connection cannot be had: all are in use, or PostgreSQL takes no more. */
export type Shortage = 'exhausted' | 'refused'

/** The connections of this process to PostgreSQL, except those that listen, migrate and back up. */
export class PostgresPool implements KyselyPool {
  readonly #pool: pg.Pool
  readonly #size: number
  readonly #connections = new WeakMap<pg.PoolClient, PooledConnection>()
  /** Connections that were made and not yet closed. */
  readonly #made = new Set<pg.PoolClient>()
  #refused = false
  #again: NodeJS.Timeout | undefined

  private constructor(pool: pg.Pool, { size, onError }: PoolOptions) {
    this.#pool = pool
    this.#size = size
    pool.on('error', onError)
    pool.on('connect', (client) => {
      this.#made.add(client)
      this.#refused = false
      // A connection that breaks in the middle of a transaction reports it here; without a listener, that would end the
      // process.
      client.on('error', onError)
    })
    pool.on('remove', (client) => void this.#made.delete(client))
  }

  /** @throws what the first connection fails with */
  static async open(driver: typeof pg, options: PoolOptions): Promise<PostgresPool> {
    const connect = async (to: Connecting): Promise<PostgresPool> => {
      const pool = new driver.Pool({
        ...to,
        types: postgresTypes(driver),
        max: options.size,
        connectionTimeoutMillis: ACQUIRE,
        keepAlive: true,
        keepAliveInitialDelayMillis: 5000,
      })
      const opened = new PostgresPool(pool, options)
      try {
        ;(await pool.connect()).release()
        return opened
      } catch (error) {
        await pool.end()
        throw error
      }
    }
    return withSession(options.url, POOL_SESSION, connect)
  }

  get options(): object {
    return this.#pool.options
  }

  /** Null: connections can be had, as far as is known. */
  get shortage(): Shortage | null {
    if (this.#refused) return 'refused'
    return this.#pool.waitingCount > 0 && this.#pool.idleCount === 0 ? 'exhausted' : null
  }

  /**
   * The next connection that is free, or a new one. Where PostgreSQL takes no more, one of the existing ones. @throws
   * {StorageAway} when there was none for `ACQUIRE` milliseconds
   */
  connect = async (): Promise<PooledConnection> => {
    const until = performance.now() + ACQUIRE
    for (;;) {
      try {
        return this.#connectionOf(await this.#within(until - performance.now()))
      } catch (error) {
        const refused = refusesConnections(error)
        if (refused) this.#refused = true
        if (!refused || this.#made.size === 0 || performance.now() >= until) throw databaseFailure(error)
        this.#takeNoMore()
      }
    }
  }

  /** Waits for nobody's goodbye. A connection whose other end says none would keep the process from ending. */
  end = (): Promise<void> => {
    clearTimeout(this.#again)
    setTimeout(() => this.#made.forEach((client) => dropConnection(client)), GOODBYE).unref()
    return this.#pool.end()
  }

  async #within(ms: number): Promise<pg.PoolClient> {
    const asked = this.#pool.connect()
    let late: NodeJS.Timeout | undefined
    const limit = new Promise<never>((_, reject) => {
      late = setTimeout(() => reject(new StorageAway(`No connection to the database was free for ${ACQUIRE} ms.`)), ms)
    })
    try {
      return await Promise.race([asked, limit])
    } catch (error) {
      asked.then(
        (client) => client.release(),
        () => undefined,
      )
      throw error
    } finally {
      clearTimeout(late)
    }
  }

  #takeNoMore(): void {
    this.#pool.options.max = Math.max(1, this.#made.size)
    this.#again ??= setTimeout(() => {
      this.#again = undefined
      this.#pool.options.max = this.#size
    }, REFUSED).unref()
  }

  /** One for each connection: Kysely knows it again. */
  #connectionOf(client: pg.PoolClient): PooledConnection {
    let connection = this.#connections.get(client)
    if (connection === undefined) this.#connections.set(client, (connection = new PooledConnection(client)))
    return connection
  }
}

import { type CreateTableBuilder, PostgresDialect, sql, type Dialect as KyselyDialect } from 'kysely'
import { DATABASE_TIME } from '../database-time.ts'
import type { Dialect } from '../dialect.ts'
import { changeSchema } from './change-schema.ts'
import { CHANNEL, Listening } from './listening.ts'
import { LASTING_SESSION, UNHURRIED } from './postgres-limits.ts'
import { PostgresPool } from './postgres-pool.ts'
import { postgresProblem } from './postgres-problem.ts'
import { withSession, type Connecting } from './session-settings.ts'
import { LISTENING } from './listening-processes.ts'

/** The key of the lock under which one process migrates. */
const MIGRATION_LOCK = 7_313_031
/** Connections in the pool, unless set. */
const POOL_SIZE = 20

export interface PostgresOptions {
  readonly onError: (error: Error) => void
  /** Connections in the pool. */
  readonly pool?: number | undefined
  /** PostgreSQL itself, where `url` is a pooler: to listen and to hold the lock of migrations. Else `url`. */
  readonly listenUrl?: string | null | undefined
}

/**
 * PostgreSQL for several processes behind one address; wake-ups between them by LISTEN/NOTIFY (ids only). @throws
 * {OperatorProblem}
 */
export async function openPostgres(
  url: string,
  { onError, pool: size = POOL_SIZE, listenUrl }: PostgresOptions,
): Promise<{ kysely: KyselyDialect; reader: null; dialect: Dialect }> {
  const driver = (await import('pg')).default
  const direct = listenUrl ?? url
  const pool = await PostgresPool.open(driver, { url, size, onError }).catch((error: unknown) => {
    throw postgresProblem(url, error)
  })
  let listening: Listening | null = null

  const dialect: Dialect = {
    name: 'postgres',
    file: null,
    counter:
      (column) =>
      <T extends CreateTableBuilder<never, never>>(table: T) =>
        table.addColumn(column as never, 'bigint', (c) => c.primaryKey().generatedAlwaysAsIdentity()) as unknown as T,
    serialize: async (trx, key) => {
      await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`.execute(trx)
    },
    trySerialize: async (trx, key) => {
      const asked = sql<{ got: boolean }>`select pg_try_advisory_xact_lock(hashtextextended(${key}, 0)) as got`
      return (await asked.execute(trx)).rows[0]!.got
    },
    share: async (trx, key) => {
      await sql`select pg_advisory_xact_lock_shared(hashtextextended(${key}, 0))`.execute(trx)
    },
    now: DATABASE_TIME.postgres,
    isUniqueViolation: (error) => error instanceof Error && 'code' in error && error.code === '23505',
    // The operator of a PostgreSQL server has pg_dump and point-in-time recovery; this process has neither.
    backup: async () => null,
    notify: async (db, payloads) => {
      const all = JSON.stringify(payloads)
      await sql`select pg_notify(${CHANNEL}, payload) from json_array_elements_text(${all}::json) as payload`.execute(
        db,
      )
    },
    listen: async (receive, missed) => {
      const send = async (channel: string): Promise<void> => {
        const connection = await pool.connect()
        try {
          await connection.query(`notify ${channel}`, [])
        } finally {
          connection.release()
        }
      }
      listening = await Listening.open({ driver, url: direct, receive, missed, onError, send })
    },
    isListening: () => listening?.hears ?? false,
    othersRun: async (db) => {
      const { rows } = await sql.raw<{ pid: number }>(LISTENING).execute(db)
      return rows.some(({ pid }) => pid !== listening?.pid)
    },
    shortage: () => pool.shortage,
    changeSchema: (db, work) => changeSchema(db, work),
    unhurried: async (trx) => {
      await sql.raw(UNHURRIED).execute(trx)
    },
    // A lock of the session: through a pooler it would be anybody's. It ends with the connection.
    exclusively: async (_db, work) => {
      const client = await withSession(direct, LASTING_SESSION, async (to: Connecting) => {
        const opened = new driver.Client({ ...to, keepAlive: true })
        opened.on('error', onError)
        await opened.connect()
        return opened
      })
      try {
        await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
        return await work()
      } finally {
        await client.end()
      }
    },
    close: async () => {
      await listening?.close()
    },
  }
  // Its pool has connections for readers.
  return { kysely: new PostgresDialect({ pool }), reader: null, dialect }
}

import { type CreateTableBuilder, PostgresDialect, sql, type Dialect as KyselyDialect } from 'kysely'
import type { Client, Pool } from 'pg'
import { StorageAway } from '../../kernel/storage-failure.ts'
import type { Dialect } from '../dialect.ts'
import { postgresProblem } from './postgres-problem.ts'
import { LISTENING } from './listening-processes.ts'
import { postgresTypes } from './postgres-types.ts'

const CHANNEL = 'reeve'
/** Milliseconds before the listening connection is reopened. */
const RECONNECT = 1000
/** The key of the lock under which one process migrates. */
const MIGRATION_LOCK = 7_313_031

function away(error: unknown): never {
  throw new StorageAway('The database does not answer.', { cause: error })
}

/**
 * PostgreSQL for several processes behind one address; wake-ups between them by LISTEN/NOTIFY (ids only). @throws
 * {OperatorProblem}
 */
export async function openPostgres(
  url: string,
  onConnectionError: (error: Error) => void,
): Promise<{ kysely: KyselyDialect; reader: null; dialect: Dialect }> {
  const pg = (await import('pg')).default
  const pool: Pool = new pg.Pool({
    connectionString: url,
    types: postgresTypes(pg),
    max: 20,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  })
  pool.on('error', onConnectionError)
  // A connection that breaks in the middle of a transaction reports it here; without a listener, that would end the
  // process.
  pool.on('connect', (client) => client.on('error', onConnectionError))
  try {
    ;(await pool.connect()).release()
  } catch (error) {
    await pool.end()
    throw postgresProblem(url, error)
  }
  let listener: Client | null = null
  let closed = false

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
    now: sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`,
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
      const connect = async (): Promise<void> => {
        const client = new pg.Client({ connectionString: url, keepAlive: true })
        client.on('notification', (message) => receive(message.payload ?? ''))
        client.on('error', onConnectionError)
        await client.connect()
        await client.query(`listen ${CHANNEL}`)
        if (closed) return client.end()
        client.once('end', reconnect)
        listener = client
      }
      const reconnect = (): void => {
        listener = null
        if (closed) return
        const again = (error: Error): void => {
          onConnectionError(error)
          reconnect()
        }
        setTimeout(() => void connect().then(missed, again), RECONNECT).unref()
      }
      await connect()
    },
    isListening: () => listener !== null,
    othersRun: async (db) => (await sql.raw(LISTENING).execute(db)).rows.length > 0,
    exclusively: async (_db, work) => {
      const client = await pool.connect()
      try {
        await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
        return await work()
      } finally {
        await client.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(onConnectionError)
        client.release()
      }
    },
    close: async () => {
      closed = true
      await listener?.end()
    },
  }
  const reached = { options: pool.options, connect: () => pool.connect().catch(away), end: () => pool.end() }
  // Its pool has connections for readers.
  return { kysely: new PostgresDialect({ pool: reached }), reader: null, dialect }
}

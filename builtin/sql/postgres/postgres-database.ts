import { runOnServer } from '../connections/run-on-server.ts'
import type { ServerAddress } from '../connections/server-address.ts'
import { typedRows } from '../connections/typed-rows.ts'
import { OutcomeUnknown, type Parameter, type SqlDatabase, type SqlRows } from '../sql-database.ts'
import { postgresColumnType, postgresText } from './column-types.ts'
import { connectPostgres, type PostgresConnection, type PostgresResult } from './postgres-connection.ts'
import { postgresSchema } from './postgres-schema.ts'

/** Rows in the first fetch; later fetches aim at about BATCH_SIZE characters. */
const FIRST_BATCH = 10
const BATCH_SIZE = 1_000_000
const SIZE_LIMIT = 4_000_000
/** Rows that a change is shown to touch. */
const TOUCHED = 200
/** A role in PostgreSQL 14 and later that may only read all data. */
const READER = 'pg_read_all_data'

/** A PostgreSQL database as the tools use it. */
export function postgresDatabase(address: ServerAddress, timeoutMs: number): SqlDatabase {
  const on = <Result>(signal: AbortSignal, work: (connection: PostgresConnection) => Promise<Result>) =>
    runOnServer((aborted) => connectPostgres(address, aborted), work, { signal, timeoutMs })
  /** Runs in a read-only transaction that is always rolled back. */
  const reading = <Result>(
    signal: AbortSignal,
    work: (connection: PostgresConnection) => Promise<Result>,
    lower = true,
  ) =>
    on(signal, async (connection) => {
      await connection.run('begin read only')
      await prepare(connection, timeoutMs)
      if (lower) await lowerRights(connection)
      const result = await work(connection)
      await connection.run('rollback')
      return result
    })

  return {
    name: address.name,
    dialect: 'postgres',
    about: (signal) =>
      on(signal, async (connection) => {
        const { rows } = await connection.run(
          "select current_setting('server_version'), current_user, current_setting('is_superuser')",
        )
        const [version, user, superuser] = rows[0] ?? []
        const warning = superuser === 'on' ? `, a superuser: queries run with the rights of ${READER}` : ''
        return `PostgreSQL ${version}, database ${address.database}, as ${user}${warning}`
      }),
    schema: (filter, signal) => reading(signal, (connection) => postgresSchema(connection, filter)),
    query: (sql, parameters, limit, signal) =>
      reading(signal, (connection) => readRows(connection, sql, parameters, limit)),
    explain: (sql, parameters, signal) =>
      // With the account's own privileges: the plan of a change is only shown to accounts that may make it, and nothing
      // is run.
      reading(
        signal,
        async (connection) =>
          toRows(await connection.run(`explain (verbose off)\n${sql}`, parameters), { more: false }),
        false,
      ),
    attempt: (sql, parameters, signal) =>
      on(signal, async (connection) => {
        await connection.run('begin')
        await prepare(connection, timeoutMs)
        // The server counts them all and sends only the first: a change may touch millions of rows.
        const counted = `with reeve_touched as (\n${sql}\n) select *, count(*) over () from reeve_touched limit ${TOUCHED + 1}`
        const { fields, rows } = await connection.run(counted, parameters)
        await connection.run('rollback')
        const own = rows.slice(0, TOUCHED).map((row) => row.slice(0, -1))
        const returned = toRows(
          { fields: fields.slice(0, -1), rows: own, rowCount: null },
          { more: rows.length > TOUCHED },
        )
        return { affected: Number(rows[0]?.at(-1) ?? 0), returned }
      }),
    execute: (sql, parameters, signal) =>
      on(signal, async (connection) => {
        await connection.run('begin')
        await prepare(connection, timeoutMs)
        const result = await connection.run(sql, parameters)
        try {
          await connection.run('commit')
        } catch (error) {
          const why = error instanceof Error ? error.message : ''
          throw new OutcomeUnknown(`The change may or may not have been made. ${why}`, { cause: error })
        }
        const returned =
          result.fields.length === 0
            ? null
            : toRows({ ...result, rows: result.rows.slice(0, 1000) }, { more: result.rows.length > 1000 })
        return { affected: result.rowCount, returned }
      }),
  }
}

async function prepare(connection: PostgresConnection, timeoutMs: number): Promise<void> {
  await connection.run(
    `select set_config('statement_timeout', $1, true), set_config('lock_timeout', $1, true), set_config('timezone', 'UTC', true),
      set_config('datestyle', 'ISO', true), set_config('standard_conforming_strings', 'on', true), set_config('cursor_tuple_fraction', '1', true),
      set_config('idle_in_transaction_session_timeout', $1, true), set_config('bytea_output', 'hex', true), set_config('extra_float_digits', '1', true)`,
    [String(timeoutMs)],
  )
}

/**
 * A superuser's read-only transaction can still write files and end other connections, so it switches to a role that
 * may only read.
 */
async function lowerRights(connection: PostgresConnection): Promise<void> {
  const { rows } = await connection.run(
    "select current_setting('is_superuser'), current_setting('server_version_num')::int >= 140000",
  )
  if (rows[0]?.[0] !== 'on' || rows[0][1] !== 't') return
  await connection.run(`set local role ${READER}`)
  // Rows that a policy hides from that role must not go missing silently.
  await connection.run('set local row_security = off')
}

/** Uses a cursor, which accepts no writing statement and returns no more rows than wanted. */
async function readRows(
  connection: PostgresConnection,
  sql: string,
  parameters: readonly Parameter[],
  limit: number,
): Promise<SqlRows> {
  await connection.run(`declare reeve_rows no scroll cursor for\n${sql}`, parameters)
  const rows: (readonly (string | null)[])[] = []
  let size = 0
  for (;;) {
    const fitting = rows.length === 0 ? FIRST_BATCH : Math.max(1, Math.floor((BATCH_SIZE * rows.length) / (size + 1)))
    const batch = Math.min(fitting, limit + 1 - rows.length)
    const result = await connection.run(`fetch forward ${batch} from reeve_rows`)
    for (const row of result.rows) {
      if (rows.length >= limit) return toRows({ ...result, rows }, { more: true })
      if (size > SIZE_LIMIT) return toRows({ ...result, rows }, { more: true, too_large: true })
      rows.push(row)
      size += row.reduce((sum, text) => sum + (text?.length ?? 0), 0)
    }
    if (result.rows.length < batch) return toRows({ ...result, rows }, { more: false })
  }
}

function toRows({ fields, rows }: PostgresResult, more: { more: boolean; too_large?: boolean }): SqlRows {
  const columns = fields.map(({ name, dataTypeID }) => ({ name, type: postgresColumnType(dataTypeID) }))
  const texts = rows.map((row) => row.map((text, index) => postgresText(text, fields[index]!.dataTypeID)))
  return typedRows(columns, texts, more)
}

import { runOnServer } from '../connections/run-on-server.ts'
import type { ServerAddress } from '../connections/server-address.ts'
import { typedRows } from '../connections/typed-rows.ts'
import { OutcomeUnknown, type SqlDatabase, type SqlRows } from '../sql-database.ts'
import { mysqlColumnType, mysqlText } from './column-types.ts'
import { connectMysql, type MysqlConnection, type MysqlRows } from './mysql-connection.ts'
import { mysqlSchema } from './mysql-schema.ts'

const SIZE_LIMIT = 4_000_000
const RETURNED_LIMIT = 1000
/** Tables that keep what was rolled back. */
const OTHER_ENGINES = `select 1 from information_schema.tables
  where table_type = 'BASE TABLE' and lower(engine) <> 'innodb'
  and table_schema not in ('mysql', 'information_schema', 'performance_schema', 'sys') limit 1`

/** A MySQL or MariaDB database as the tools use it. */
export function mysqlDatabase(address: ServerAddress, timeoutMs: number): SqlDatabase {
  const on = <Result>(signal: AbortSignal, work: (connection: MysqlConnection) => Promise<Result>) =>
    runOnServer((aborted) => connectMysql(address, aborted), work, { signal, timeoutMs })
  /** Runs in a read-only transaction that is never committed and ends with the connection. */
  const reading = <Result>(signal: AbortSignal, work: (connection: MysqlConnection) => Promise<Result>) =>
    on(signal, async (connection) => {
      await prepare(connection, timeoutMs)
      // The server must parse statements in these modes, because the checks did too.
      await connection.run(
        "set session sql_mode = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'",
      )
      await connection.run('start transaction read only')
      return await work(connection)
    })

  return {
    name: address.name,
    dialect: 'mysql',
    about: (signal) =>
      on(
        signal,
        async ({ product, version }) => `${product} ${version}, database ${address.database}, as ${address.user}`,
      ),
    schema: (filter, signal) =>
      reading(signal, (connection) =>
        mysqlSchema(async (sql, limit) => toRows(await connection.rows(sql, [filter], limit, SIZE_LIMIT))),
      ),
    query: (sql, parameters, limit, signal) =>
      reading(signal, async (connection) => toRows(await connection.rows(sql, parameters, limit, SIZE_LIMIT))),
    explain: (sql, parameters, signal) =>
      reading(signal, async (connection) =>
        toRows(await connection.rows(`explain ${sql}`, parameters, RETURNED_LIMIT, SIZE_LIMIT)),
      ).catch((error: unknown) => {
        if (!(error instanceof Error) || !error.message.includes('READ ONLY')) throw error
        const text = `${address.name} does not plan a change in a read-only transaction. Explain a SELECT with the same conditions.`
        throw new Error(text, { cause: error })
      }),
    attempt: (sql, parameters, signal) =>
      on(signal, async (connection) => {
        await prepare(connection, timeoutMs)
        const others = await connection.rows(OTHER_ENGINES, [], 1, SIZE_LIMIT)
        if (others.rows.length > 0)
          throw new Error('There is no preview: not all tables that this account reaches can roll back (InnoDB can).')
        await connection.run('start transaction')
        const { affected } = await connection.rows(sql, parameters, RETURNED_LIMIT, SIZE_LIMIT)
        await connection.run('rollback')
        return { affected, returned: null }
      }),
    execute: (sql, parameters, signal) =>
      on(signal, async (connection) => {
        await prepare(connection, timeoutMs)
        await connection.run('start transaction')
        const result = await connection.rows(sql, parameters, Number.MAX_SAFE_INTEGER, 32_000_000)
        try {
          await connection.run('commit')
        } catch (error) {
          const why = error instanceof Error ? error.message : ''
          throw new OutcomeUnknown(`The change may or may not have been made. ${why}`, { cause: error })
        }
        const cut = { ...result, rows: result.rows.slice(0, RETURNED_LIMIT), more: result.rows.length > RETURNED_LIMIT }
        return { affected: result.affected, returned: result.fields.length === 0 ? null : toRows(cut) }
      }),
  }
}

async function prepare(connection: MysqlConnection, timeoutMs: number): Promise<void> {
  const limit =
    connection.product === 'MariaDB' ? `max_statement_time = ${timeoutMs / 1000}` : `max_execution_time = ${timeoutMs}`
  await connection.run(
    `set session ${limit}, session time_zone = '+00:00', session lock_wait_timeout = ${Math.ceil(timeoutMs / 1000)}`,
  )
}

function toRows({ fields, rows, more, too_large }: MysqlRows): SqlRows {
  const columns = fields.map((field) => ({ name: field.name, type: mysqlColumnType(field) }))
  const texts = rows.map((row) => row.map((value, index) => mysqlText(value, fields[index]!)))
  return typedRows(columns, texts, { more, ...(too_large ? { too_large } : {}) })
}

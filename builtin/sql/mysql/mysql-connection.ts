import mysql from 'mysql2'
import { countedSocket } from '../connections/counted-socket.ts'
import type { ServerConnection } from '../connections/run-on-server.ts'
import type { ServerAddress } from '../connections/server-address.ts'
import type { Parameter } from '../sql-database.ts'

const CONNECT_MS = 10_000

export interface MysqlField {
  readonly name: string
  readonly columnType: number
  readonly flags: number
  readonly columnLength: number
  readonly characterSet: number
}
export interface MysqlRows {
  readonly fields: readonly MysqlField[]
  readonly rows: readonly (readonly unknown[])[]
  readonly more: boolean
  readonly too_large: boolean
  /** Number of rows affected by a change; null for a read. */
  readonly affected: number | null
}

/** One connection to MySQL or MariaDB, one statement at a time. */
export interface MysqlConnection extends ServerConnection {
  readonly product: 'MySQL' | 'MariaDB'
  readonly version: string
  /** Runs one of our own statements over the text protocol. */
  run(sql: string): Promise<void>
  /**
   * Runs a prepared statement and reads at most `limit` rows; if there are `more`, the caller must close the
   * connection.
   */
  rows(sql: string, parameters: readonly Parameter[], limit: number, size: number): Promise<MysqlRows>
}

/** Connects. Rejects with a sentence that does not contain the password. */
export async function connectMysql(address: ServerAddress, signal: AbortSignal): Promise<MysqlConnection> {
  const socket = countedSocket()
  socket.connect(address.socket === null ? { host: address.host ?? '', port: address.port } : { path: address.socket })
  const connection = mysql.createConnection({
    stream: () => socket,
    // The name that the certificate must match.
    host: address.host ?? 'localhost',
    user: address.user,
    password: address.password ?? '',
    database: address.database,
    connectTimeout: CONNECT_MS,
    charset: 'utf8mb4',
    multipleStatements: false,
    rowsAsArray: true,
    dateStrings: true,
    jsonStrings: true,
    supportBigNumbers: true,
    bigNumberStrings: true,
    timezone: 'Z',
    // The server must not be able to request files of this machine.
    flags: ['-LOCAL_FILES'],
    ...(address.tls === 'off'
      ? {}
      : { ssl: { rejectUnauthorized: address.tls === 'verified', verifyIdentity: address.tls === 'verified' } }),
  })
  // Without a listener, a broken connection would end the process.
  connection.on('error', () => undefined)
  const onAbort = () => socket.destroy(new Error('stopped'))
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    await new Promise<void>((resolve, reject) =>
      connection.connect((error) => (error === null ? resolve() : reject(error))),
    )
  } catch (error) {
    connection.destroy()
    throw sentence(error, address)
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
  const run = (sql: string) =>
    new Promise<void>((resolve, reject) => {
      connection.query(sql, (error) => (error === null ? resolve() : reject(sentence(error, address))))
    })
  const version = await new Promise<string>((resolve, reject) => {
    connection.query('select version()', (error, rows) => {
      if (error === null) resolve(String((rows as unknown as string[][])[0]?.[0]))
      else reject(sentence(error, address))
    })
  })
  return {
    product: /mariadb/i.test(version) ? 'MariaDB' : 'MySQL',
    version,
    run,
    rows: (sql, parameters, limit, size) =>
      readRows(connection, sql, parameters, { limit, size }).catch((error: unknown) => {
        throw sentence(error, address)
      }),
    destroy: () => connection.destroy(),
    async stop() {
      const { threadId } = connection
      const other = await connectMysql(address, AbortSignal.timeout(CONNECT_MS))
      try {
        await other.run(`kill query ${threadId}`)
      } finally {
        other.destroy()
      }
    },
  }
}

function readRows(
  connection: mysql.Connection,
  sql: string,
  parameters: readonly Parameter[],
  most: { limit: number; size: number },
): Promise<MysqlRows> {
  return new Promise((resolve, reject) => {
    const rows: unknown[][] = []
    let fields: MysqlField[] = []
    let affected: number | null = null
    let size = 0
    let settled = false
    const settle = (more: boolean, too_large: boolean) => {
      settled = true
      resolve({ fields, rows, more, too_large, affected })
    }
    const values = parameters.map((value) => (typeof value === 'boolean' ? Number(value) : value))
    const query = connection.execute({ sql, values, rowsAsArray: true })
    query.on('error', (error) => {
      if (!settled) reject(error)
    })
    query.on('fields', (given: unknown) => {
      // A procedure may return several result sets; the first one counts.
      if (fields.length === 0 && Array.isArray(given)) fields = given as MysqlField[]
    })
    query.on('result', (row: unknown) => {
      if (settled) return
      if (!Array.isArray(row)) {
        affected = (row as { affectedRows?: number }).affectedRows ?? null
        return
      }
      if (rows.length >= most.limit) return settle(true, false)
      if (size > most.size) return settle(true, true)
      rows.push(row)
      for (const cell of row) size += typeof cell === 'string' || Buffer.isBuffer(cell) ? cell.length : 8
    })
    query.on('end', () => {
      if (!settled) settle(false, false)
    })
  })
}

function sentence(error: unknown, { name, password }: ServerAddress): Error {
  const { message, code } = error as { message?: string; code?: string }
  const text = `${name}: ${(message || code || 'the connection failed').replace(/\.$/, '')}.`
  return new Error(password ? text.replaceAll(password, '…') : text, { cause: error })
}

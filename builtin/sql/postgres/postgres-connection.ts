import pg from 'pg'
import { countedSocket } from '../connections/counted-socket.ts'
import type { ServerConnection } from '../connections/run-on-server.ts'
import type { ServerAddress } from '../connections/server-address.ts'
import type { Parameter } from '../sql-database.ts'

const CONNECT_MS = 10_000

export interface PostgresResult {
  readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[]
  readonly rows: readonly (readonly (string | null)[])[]
  readonly rowCount: number | null
}

/**
 * One connection. Every statement uses the extended protocol, which allows only a single statement, and cells arrive as
 * text.
 */
export interface PostgresConnection extends ServerConnection {
  run(sql: string, parameters?: readonly Parameter[]): Promise<PostgresResult>
}

/** Connects. Rejects with a sentence that does not contain the password. */
export async function connectPostgres(address: ServerAddress, signal: AbortSignal): Promise<PostgresConnection> {
  const socket = countedSocket()
  const client = new pg.Client({
    host: address.socket ?? address.host ?? undefined,
    port: address.port,
    user: address.user,
    password: address.password,
    database: address.database,
    ssl: address.tls === 'off' ? false : { rejectUnauthorized: address.tls === 'verified' },
    connectionTimeoutMillis: CONNECT_MS,
    application_name: 'Reeve',
    stream: () => socket,
    types: { getTypeParser: () => (text: string) => text },
  })
  // Without a listener, a broken connection would end the process.
  client.on('error', () => undefined)
  const onAbort = () => socket.destroy()
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    await client.connect()
  } catch (error) {
    socket.destroy()
    throw sentence(error, address)
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
  const run = async (sql: string, parameters: readonly Parameter[] = []): Promise<PostgresResult> => {
    try {
      const values = parameters.map((value) => (value === null ? null : String(value)))
      const query = { text: sql, values, rowMode: 'array' as const, queryMode: 'extended' }
      return await client.query<(string | null)[]>(query)
    } catch (error) {
      throw sentence(error, address)
    }
  }
  return {
    run,
    destroy: () => socket.destroy(),
    async stop() {
      const { processID } = client as unknown as { processID: number }
      const other = await connectPostgres(address, AbortSignal.timeout(CONNECT_MS))
      try {
        await other.run('select pg_catalog.pg_cancel_backend($1::int)', [processID])
      } finally {
        other.destroy()
      }
    },
  }
}

function sentence(error: unknown, { name, password }: ServerAddress): Error {
  const inner = error instanceof AggregateError ? (error.errors[0] as unknown) : error
  const { message, hint, code } = inner as { message?: string; hint?: string; code?: string }
  const said = (message || code || 'the connection failed').replace(/\.$/, '')
  const text = `${name}: ${said}.${hint === undefined ? '' : ` ${hint}`}`
  return new Error(password ? text.replaceAll(password, '…') : text, { cause: error })
}

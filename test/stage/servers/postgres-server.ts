import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { findPostgresPrograms } from './postgres-programs.ts'
import { until } from '../wait.ts'

export interface PostgresServer {
  /** Of the database `postgres`, with a password: `postgres://…@127.0.0.1:…/postgres`. */
  readonly url: string
  /** Ends it (`INT`: at once, but in good order; `QUIT`: as if it had crashed) and starts it again on the same port. */
  restart(signal: 'INT' | 'QUIT'): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** PostgreSQL refuses to run as root: then it runs as `postgres`, else as `nobody`. */
function unprivilegedUser(): { uid: number; gid: number } | Record<string, never> {
  if (process.getuid?.() !== 0) return {}
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  const account = accounts.find(([name]) => name === 'postgres') ?? accounts.find(([name]) => name === 'nobody')
  return { uid: Number(account?.[2] ?? 65_534), gid: Number(account?.[3] ?? 65_534) }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((done) => server.once('listening', done))
  const { port } = server.address() as AddressInfo
  await new Promise((done) => server.close(done))
  return port
}

/** Tests may lose everything, so nothing is flushed; a language's collation, because real servers have one. */
const INITDB = ['--username=reeve', '--auth=password', '--encoding=UTF8', '--no-sync', '--no-instructions']
const COLLATION = ['--locale=C.UTF-8', '--locale-provider=icu', '--icu-locale=en-US']
const SETTINGS = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '200',
  shared_buffers: '32MB',
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  log_min_messages: 'fatal',
}

// The shell outlives a test process that is killed: its stdin then ends, and it stops the server and clears the folder.
// A line on it is a signal, after which the server starts again.
const WATCHDOG =
  '"$@" </dev/null & server=$!; cd /; while read -r signal; do kill -$signal $server; wait $server; ' +
  '"$@" </dev/null & server=$!; done; kill -INT $server; wait $server; rm -rf "$FOLDER"'

/**
 * A real PostgreSQL in a temporary folder on 127.0.0.1; it ends with this process, however that ends. `more`: settings
 * besides those of the tests, or instead of them.
 */
export async function startPostgres(more: Readonly<Record<string, string>> = {}): Promise<PostgresServer> {
  const user = unprivilegedUser()
  const folder = mkdtempSync(join(tmpdir(), 'reeve-postgres-'))
  chmodSync(folder, 0o755)
  const home = join(folder, 'home')
  mkdirSync(home, { mode: 0o700 })
  const password = randomBytes(12).toString('hex')
  const passwordFile = join(home, 'password')
  writeFileSync(passwordFile, password, { mode: 0o600 })
  const env = { PATH: '/usr/bin:/bin', HOME: home, FOLDER: folder, TZ: 'UTC' }
  const options = { ...user, cwd: home, env }

  const programs = findPostgresPrograms(folder)
  // All of it, so that this user can also remove it at the end.
  if (user.uid !== undefined) spawnSync('chown', ['-R', `${user.uid}:${user.gid}`, folder])
  const data = join(home, 'data')
  const init = spawnSync(
    join(programs, 'initdb'),
    [...INITDB, ...COLLATION, `--pwfile=${passwordFile}`, '-D', data],
    options,
  )
  if (init.status !== 0) {
    rmSync(folder, { recursive: true, force: true })
    throw new Error(`initdb failed: ${init.error?.message ?? init.stderr.toString('utf8')}`)
  }

  const port = await freePort()
  const settings = Object.entries({ ...SETTINGS, ...more }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const command = [join(programs, 'postgres'), '-D', data, '-p', String(port), ...settings]
  const watchdog = spawn('/bin/sh', ['-c', WATCHDOG, 'reeve-postgres', ...command], {
    ...options,
    stdio: ['pipe', 'ignore', 'pipe'],
    // A Ctrl+C in the terminal must not reach PostgreSQL before the tests have ended.
    detached: true,
  })
  const url = `postgres://reeve:${password}@127.0.0.1:${port}/postgres`
  // Read to the end, or the server would block; shown only when it does not come up.
  let log = ''
  watchdog.stderr.on('data', (chunk: Buffer) => (log += chunk.toString('utf8')))
  await untilReady(url, watchdog, () => log)
  return {
    url,
    async restart(signal) {
      const before = await startOf(url)
      watchdog.stdin.write(`${signal}\n`)
      await until(async () => ![null, before].includes(await startOf(url).catch(() => null)), {
        timeout: 60_000,
        what: 'PostgreSQL has started again',
      })
    },
    [Symbol.asyncDispose]: () => stop(watchdog),
  }
}

async function untilReady(url: string, watchdog: ChildProcess, log: () => string): Promise<void> {
  await until(
    async () => {
      if (watchdog.exitCode !== null) throw new Error(`PostgreSQL ended while it started: ${log()}`)
      const client = openClient(url)
      try {
        await client.connect()
        return true
      } catch {
        return false
      } finally {
        await client.end().catch(() => undefined)
      }
    },
    { timeout: 30_000, what: 'PostgreSQL answers' },
  )
}

/** Asks a server that may end at any moment: whoever awaits the answer is told of that. */
function openClient(url: string): pg.Client {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 })
  client.on('error', () => undefined)
  return client
}

/** When the server was started, as text. */
async function startOf(url: string): Promise<string> {
  const client = openClient(url)
  try {
    await client.connect()
    const { rows } = await client.query<{ at: string }>('select pg_postmaster_start_time()::text as at')
    return rows[0]!.at
  } finally {
    await client.end().catch(() => undefined)
  }
}

async function stop(watchdog: ChildProcess): Promise<void> {
  const ended = new Promise((done) => watchdog.once('exit', done))
  if (watchdog.exitCode !== null) return
  watchdog.stdin?.end()
  await ended
}

import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import pg from 'pg'
import { skipReason } from '../skip-reason.ts'
import { until } from '../wait.ts'
import { freePort } from './free-port.ts'

const PROGRAM = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']
  .map((folder) => join(folder, 'pgbouncer'))
  .find(existsSync)

/** Why there is no pgbouncer to test with; null when there is one. */
export const pgbouncerMissing = skipReason(PROGRAM === undefined ? 'pgbouncer is not installed' : null)

export interface Pgbouncer extends AsyncDisposable {
  /** The same database, by way of it. */
  readonly url: string
}

/** A real pgbouncer in front of the database at `databaseUrl`, in transaction mode, with few connections to it. */
export async function startPgbouncer(
  databaseUrl: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<Pgbouncer> {
  const target = new URL(databaseUrl)
  const folder = mkdtempSync(join(tmpdir(), 'reeve-pgbouncer-'))
  chmodSync(folder, 0o755)
  const port = await freePort()
  const lines = Object.entries({
    listen_addr: '127.0.0.1',
    listen_port: String(port),
    unix_socket_dir: '',
    auth_type: 'plain',
    auth_file: join(folder, 'users'),
    pool_mode: 'transaction',
    default_pool_size: '8',
    max_client_conn: '200',
    ...settings,
  }).map(([name, value]) => `${name} = ${value}`)
  const database = target.pathname.slice(1)
  const password = decodeURIComponent(target.password)
  writeFileSync(join(folder, 'users'), `"${target.username}" "${password}"\n`, { mode: 0o644 })
  writeFileSync(
    join(folder, 'pgbouncer.ini'),
    `[databases]\n${database} = host=${target.hostname} port=${target.port} dbname=${database}\n[pgbouncer]\n${lines.join('\n')}\n`,
  )
  // It refuses to run as root.
  const nobody = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .find(([name]) => name === 'nobody')
  const ids = process.getuid?.() === 0 ? { uid: Number(nobody?.[2] ?? 65_534), gid: Number(nobody?.[3] ?? 65_534) } : {}
  const child = spawn(PROGRAM!, [join(folder, 'pgbouncer.ini')], { ...ids, stdio: ['ignore', 'ignore', 'pipe'] })
  const reap = (): boolean => child.kill('SIGKILL')
  process.once('exit', reap)
  let log = ''
  child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString('utf8')))
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${port}`
  await until(
    async () => {
      if (child.exitCode !== null) throw new Error(`pgbouncer ended while it started: ${log}`)
      const client = new pg.Client({ connectionString: url.href })
      client.on('error', () => undefined)
      try {
        await client.connect()
        return true
      } catch {
        return false
      } finally {
        await client.end().catch(() => undefined)
      }
    },
    { timeout: 20_000, what: 'pgbouncer answers' },
  )
  return {
    url: url.href,
    async [Symbol.asyncDispose]() {
      process.off('exit', reap)
      if (child.exitCode === null) {
        const ended = new Promise((done) => child.once('exit', done))
        child.kill('SIGKILL')
        await ended
      }
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

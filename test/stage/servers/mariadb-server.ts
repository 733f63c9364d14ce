import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { until } from '../wait.ts'
import { freePort } from './free-port.ts'
import { skipReason } from '../skip-reason.ts'

export interface MariadbServer extends AsyncDisposable {
  /** Its socket: `root` signs in there without a password. */
  readonly socket: string
  /** On 127.0.0.1. */
  readonly port: number
}

const PROGRAMS = ['mariadbd', 'mariadb-install-db'].map((name) =>
  [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/bin']
    .map((folder) => join(folder, name))
    .find(existsSync),
)

/** Why there is no MariaDB to test with; null when there is one. */
export const mariadbMissing = skipReason(PROGRAMS.includes(undefined) ? 'mariadbd is not installed' : null)

// The shell outlives a test process that is killed: its stdin then ends, and it stops the server and clears the folder.
const WATCHDOG = '"$@" </dev/null & server=$!; cd /; read -r _; kill -KILL $server; wait $server; rm -rf "$FOLDER"'

/** A real MariaDB in a temporary folder on 127.0.0.1; it ends with this process, however that ends. */
export async function startMariadb(): Promise<MariadbServer> {
  const [server = '', install = ''] = PROGRAMS as string[]
  const folder = mkdtempSync(join(tmpdir(), 'reeve-mariadb-'))
  chmodSync(folder, 0o755)
  const home = join(folder, 'home')
  mkdirSync(home, { mode: 0o755 })
  // It refuses to run as root.
  const ids: { uid?: number; gid?: number } = process.getuid?.() === 0 ? unprivileged() : {}
  if (ids.uid !== undefined) spawnSync('chown', ['-R', `${ids.uid}:${ids.gid}`, folder])
  const options = {
    ...ids,
    cwd: home,
    env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin', HOME: home, FOLDER: folder, TZ: 'UTC' },
  }
  const data = join(home, 'data')
  const made = spawnSync(
    install,
    ['--no-defaults', `--datadir=${data}`, '--auth-root-authentication-method=normal', '--skip-test-db'],
    options,
  )
  if (made.status !== 0) {
    rmSync(folder, { recursive: true, force: true })
    throw new Error(`mariadb-install-db failed: ${made.stderr.toString('utf8')}`)
  }
  const socket = join(home, 'my.sock')
  const log = join(home, 'mariadb.err')
  const port = await freePort()
  const settings = [
    `--datadir=${data}`,
    `--socket=${socket}`,
    '--bind-address=127.0.0.1',
    `--port=${port}`,
    '--innodb-flush-log-at-trx-commit=0',
    `--log-error=${log}`,
    '--innodb-buffer-pool-size=16M',
    '--innodb-log-file-size=4M',
    '--secure-file-priv=',
  ]
  const watchdog = spawn('/bin/sh', ['-c', WATCHDOG, 'reeve-mariadb', server, '--no-defaults', ...settings], {
    ...options,
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  const gone = new Promise((resolve) => watchdog.once('close', resolve))
  const stop = async () => {
    watchdog.stdin.end()
    await gone
  }
  const ready = () => existsSync(log) && readFileSync(log, 'utf8').includes('ready for connections')
  await until(ready, { timeout: 30_000, what: 'MariaDB listens' }).catch(async (error: unknown) => {
    await stop()
    throw error
  })
  return { socket, port, [Symbol.asyncDispose]: stop }
}

function unprivileged(): { uid: number; gid: number } {
  const nobody = /^nobody:[^:]*:(\d+):(\d+)/m.exec(readFileSync('/etc/passwd', 'utf8'))
  return { uid: Number(nobody?.[1] ?? 65_534), gid: Number(nobody?.[2] ?? 65_534) }
}

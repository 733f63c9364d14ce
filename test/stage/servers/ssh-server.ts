import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import type { HostTarget } from '../../../server/hosts/ssh/target.ts'
import { makeKeyPair, type KeyPair } from '../../../server/hosts/ssh/key-pair.ts'
import { skipReason } from '../skip-reason.ts'
import { until } from '../wait.ts'
import { freePort } from './free-port.ts'

const PROGRAM = ['/usr/sbin/sshd', '/usr/bin/sshd', '/usr/local/sbin/sshd'].find(existsSync)
/** Why there is no sshd to test with; null when there is one. */
export const sshdMissing = skipReason(PROGRAM === undefined ? 'sshd is not installed (package openssh-server)' : null)

/** The key that all servers of the tests let in. */
export const signInKey: KeyPair = makeKeyPair('reeve@test')

export interface SshServer extends AsyncDisposable {
  readonly port: number
  readonly pid: number
  /** Home of the account, empty at first: nobody's own settings of a shell. */
  readonly home: string
  /** Its public host keys by kind: base64. */
  readonly hostKeys: Readonly<Record<'ed25519' | 'ecdsa' | 'rsa', string>>
  /** The machine as a row would describe it, with the Ed25519 key pinned; `more` says what is different. */
  target(more?: Partial<HostTarget>): HostTarget
  /** What it has logged so far (LogLevel VERBOSE). */
  log(): string
  /** Processes of its connections, which it has forked. */
  sessions(): number[]
}

export interface SshServerOptions {
  /** Further lines of its configuration, before those of the tests. */
  readonly config?: string
  /** Addresses of this machine to listen on, 127.0.0.1 unless given; sshd takes 16 at most. */
  readonly addresses?: readonly string[]
  readonly keys?: readonly ('ed25519' | 'ecdsa' | 'rsa')[]
}

// The shell outlives a test process that is killed: its stdin then ends, and it stops the server and clears the folder.
const WATCHDOG =
  '"$@" </dev/null & server=$!; echo $server; cd /; read -r _; kill -KILL $server; wait $server; rm -rf "$FOLDER"'

/** A real sshd on 127.0.0.1 for the user who runs the tests; it ends with this process, however that ends. */
export async function startSshServer(options: SshServerOptions = {}): Promise<SshServer> {
  const { config = '', addresses = ['127.0.0.1'], keys = ['ed25519', 'ecdsa', 'rsa'] } = options
  const folder = mkdtempSync(join(tmpdir(), 'reeve-sshd-'))
  // Where it keeps what needs no rights, as root.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 })
  const hostKeys = { ed25519: '', ecdsa: '', rsa: '' }
  for (const kind of keys) {
    spawnSync('ssh-keygen', ['-q', '-t', kind, '-N', '', '-f', join(folder, kind)])
    hostKeys[kind] = readFileSync(join(folder, `${kind}.pub`), 'utf8').split(' ')[1] ?? ''
  }
  const home = join(folder, 'home')
  mkdirSync(home)
  writeFileSync(join(folder, 'authorized'), `${signInKey.public_key}\n`, { mode: 0o600 })
  const port = await freePort()
  const settings = `${config}
${addresses.map((address) => `ListenAddress ${address}`).join('\n')}
Port ${port}
${keys.map((kind) => `HostKey ${join(folder, kind)}`).join('\n')}
AuthorizedKeysFile ${join(folder, 'authorized')}
PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
UsePAM no
StrictModes no
SetEnv HOME=${home}
MaxStartups 200
PidFile none
LogLevel VERBOSE
`
  writeFileSync(join(folder, 'config'), settings)
  const log = join(folder, 'log')
  const command = [PROGRAM!, '-D', '-E', log, '-f', join(folder, 'config')]
  const watchdog = spawn('/bin/sh', ['-c', WATCHDOG, 'reeve-sshd', ...command], {
    env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', FOLDER: folder },
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
  })
  const pid = new Promise<number>((resolve) => watchdog.stdout.once('data', (text: Buffer) => resolve(Number(text))))
  const gone = new Promise((resolve) => watchdog.once('close', resolve))
  const stop = async () => {
    watchdog.stdin.end()
    await gone
  }
  const text = () => (existsSync(log) ? readFileSync(log, 'utf8') : '')
  const listens = () => text().match(/Server listening on/g)?.length === addresses.length
  await until(listens, { what: 'sshd listens' }).catch(async (error: unknown) => {
    const said = text()
    await stop()
    rmSync(folder, { recursive: true, force: true })
    throw new Error(`sshd did not start: ${said}`, { cause: error })
  })
  const server = await pid
  return {
    port,
    pid: server,
    home,
    hostKeys,
    target: (more = {}) => ({
      host_id: `host-${port}`,
      name: 'web-1',
      address: '127.0.0.1',
      port,
      account: userInfo().username,
      host_key: hostKeys.ed25519,
      ...more,
    }),
    log: text,
    sessions: () => childrenOf(server),
    [Symbol.asyncDispose]: stop,
  }
}

/** Of a process, with theirs. */
function childrenOf(pid: number): number[] {
  const { stdout } = spawnSync('ps', ['-e', '-o', 'pid=', '-o', 'ppid='], { encoding: 'utf8' })
  const parents = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number))
  const below = (parent: number): number[] =>
    parents.filter(([, each]) => each === parent).flatMap(([child = 0]) => [child, ...below(child)])
  return below(pid)
}

import { spawn, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../servers/free-port.ts'
import { skipReason } from '../skip-reason.ts'
import { until } from '../wait.ts'

const ENV = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root' }
/** This machine's programs, with files and processes of its own: a copy that is thrown away. Its network is this one's. */
const INSIDE = `set -e
over="$1/over"; mkdir "$over"; mount -t tmpfs t "$over"; mkdir "$over/upper" "$over/work" "$over/root"
mount -t overlay o -o "lowerdir=/,upperdir=$over/upper,workdir=$over/work" "$over/root"
cp "$1/setup.sh" "$over/root/root/setup.sh"
cd "$over/root"; mount -t proc proc proc; mount -t tmpfs t run; mkdir run/sshd; mount --rbind /dev dev
exec chroot . /bin/sh -euc "$2" sh "$3"`
const START = `cd /; rm -rf /usr/local/libexec/reeve-op /etc/reeve-op.conf /var/lib/reeve-op
sh /root/setup.sh >/root/setup.log 2>&1
ssh-keygen -q -t ed25519 -N '' -f /root/host; cat /root/host.pub
exec "$(command -v sshd)" -D -e -f /dev/null -p "$1" -h /root/host -o PidFile=none -o UsePAM=no -o MaxStartups=200`

/** Why there can be none here; null when there can. */
export const preparedMissing: string | null = whyNone()

function whyNone(): string | null {
  if (process.getuid?.() !== 0) return 'needs root, to make a machine with accounts of its own'
  const programs = ['sudo', 'visudo', 'sshd', 'ssh-keygen', 'unshare', 'nsenter', 'chroot']
  const missing = programs.filter((each) => spawnSync('sh', ['-c', `command -v ${each}`], { env: ENV }).status !== 0)
  if (missing.length > 0) return skipReason(`needs ${missing.join(', ')}`)
  const { status } = spawnSync('unshare', ['--mount', '--pid', '--fork', 'mount', '-t', 'proc', 'p', '/proc'])
  return status === 0 ? null : 'this machine does not let us mount'
}

/** A machine that the setup script has prepared, with its sshd, sudo and reeve-op. */
export interface PreparedMachine extends AsyncDisposable {
  /** Of sshd, on 127.0.0.1. */
  readonly port: number
  /** The line that the setup script prints. */
  readonly hostKey: string
  /** Runs a script as root there; its output. @throws its end was not 0 */
  sh(script: string): string
}

/** @param script the setup script, for the port that it is given */
export async function openPreparedMachine(script: (port: number) => Promise<string>): Promise<PreparedMachine> {
  const folder = await mkdtemp(join(tmpdir(), 'reeve-prepared-'))
  const port = await freePort()
  await writeFile(join(folder, 'setup.sh'), await script(port))
  const words = ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', INSIDE, 'sh', folder, START, String(port)]
  const first = spawn('unshare', words, { env: ENV, stdio: ['ignore', 'pipe', 'pipe'] })
  const said = { out: '', log: '' }
  first.stdout.on('data', (chunk: Buffer) => (said.out += chunk.toString()))
  first.stderr.on('data', (chunk: Buffer) => (said.log += chunk.toString()))
  const gone = new Promise((done) => first.once('close', done))
  await until(() => said.log.includes('Server listening on') || first.exitCode !== null, { what: 'sshd listens' })
  if (first.exitCode !== null) throw new Error(`The machine did not start: ${said.out}${said.log}`)
  const [init] = (await readFile(`/proc/${first.pid}/task/${first.pid}/children`, 'utf8')).trim().split(' ')
  return {
    port,
    hostKey: said.out.trim(),
    sh(lines) {
      const enter = ['-t', init!, '-m', '-p', '-r', '-w', '/bin/sh', '-euc', lines]
      const { status, stdout, stderr } = spawnSync('nsenter', enter, { encoding: 'utf8', env: ENV })
      if (status !== 0) throw new Error(`${lines}\n${stdout}${stderr}`)
      return stdout
    },
    async [Symbol.asyncDispose]() {
      first.kill('SIGKILL')
      await gone
      await rm(folder, { recursive: true, force: true })
    },
  }
}

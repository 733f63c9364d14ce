import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readHelperFiles } from '../../../server/hosts/reeve-op/shipped-files.ts'
import { setupScript } from '../../../server/hosts/setup-script.ts'
import type { HostTarget } from '../../../server/hosts/ssh/target.ts'
import { freePort } from '../servers/free-port.ts'
import { signInKey } from '../servers/ssh-server.ts'
import { skipReason } from '../skip-reason.ts'
import { until } from '../wait.ts'
import { whyNoDebian } from './debian-root.ts'

const PATH = '/usr/sbin:/usr/bin:/sbin:/bin'
const NEEDED = ['sudo', 'visudo', 'sshd', 'ssh-keygen', 'setpriv', 'nsenter']

/** Why there can be none here; null when there can. */
export function whyNoSetUpMachine(): string | null {
  const lacking = NEEDED.filter(
    (program) => spawnSync('sh', ['-c', `command -v ${program}`], { env: { PATH } }).status !== 0,
  )
  return whyNoDebian() ?? (lacking.length > 0 ? skipReason(`needs ${lacking.join(', ')}`) : null)
}

/**
 * A machine that the setup script has made ready for Reeve: the programs of this one in a copy of its files that is thrown
 * away, with accounts and processes of its own, sshd on 127.0.0.1, sudo and reeve-op. Its list allows commands.
 */
export interface SetUpMachine extends AsyncDisposable {
  readonly target: HostTarget
  /** The same machine by another sshd, which `prefix` starts. */
  targetBeside(prefix: string, options?: string): Promise<HostTarget>
  /** Runs a script as root inside; its output. @throws its end was not 0 */
  sh(script: string): string
  /** How often reeve-op was signed in to. */
  signIns(): number
  /** Sends a signal to what sshd has forked for an account that is signed in, and that account's processes. */
  signal(name: 'STOP' | 'CONT' | 'KILL', account: string): void
}

const INSIDE = `set -e
over="$1/over"; mkdir "$over"; mount -t tmpfs t "$over"; mkdir "$over/upper" "$over/work" "$over/root"
mount -t overlay o -o "lowerdir=/,upperdir=$over/upper,workdir=$over/work" "$over/root"
cp "$1/setup.sh" "$over/root/root/"; cd "$over/root"
mount -t proc proc proc; mount -t tmpfs t run; mkdir run/sshd; mount --rbind /dev dev
exec chroot . /bin/sh -euc 'cd /; sh /root/setup.sh >/dev/null; echo "allow command" >>/etc/reeve-op.conf
ssh-keygen -q -t ed25519 -N "" -f /root/host; cut -d " " -f 2 /root/host.pub; while :; do sleep 3600; done'`

/** `publicKey`: the one that its accounts take, that of the tests unless given. */
export async function openSetUpMachine(publicKey = signInKey.public_key): Promise<SetUpMachine> {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-set-up-'))
  const port = await freePort()
  const options = { publicKey, from: ['127.0.0.0/8'], port, account: 'reeve-reader' }
  writeFileSync(join(folder, 'setup.sh'), setupScript(await readHelperFiles(), options))
  const first = spawn('unshare', ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', INSIDE, 'sh', folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH, HOME: '/root' },
  })
  const host_key = await new Promise<string>((done, fail) => {
    first.once('exit', (code) => fail(new Error(`The machine ended with ${code}.`)))
    first.stdout.once('data', (text: Buffer) => done(text.toString().trim()))
  })
  const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(first.pid)], { encoding: 'utf8' })
  const sh = (script: string): string => {
    const enter = ['-t', stdout.trim(), '-m', '-p', '-r', '-w', '/bin/sh', '-euc', script]
    const end = spawnSync('nsenter', enter, { encoding: 'utf8', env: { PATH, HOME: '/root' } })
    if (end.status !== 0) throw new Error(`${script}\n${end.stdout}${end.stderr}`)
    return end.stdout
  }
  const listen = async (at: number, prefix: string, more = ''): Promise<HostTarget> => {
    const log = `/root/log-${at}`
    sh(
      `${prefix} "$(command -v sshd)" -f /dev/null -p ${at} -h /root/host -E ${log} -o ListenAddress=127.0.0.1 -o UsePAM=no -o PidFile=none ${more}`,
    )
    await until(() => sh(`cat ${log}`).includes('Server listening'), { what: 'sshd listens' })
    const name = `machine-${at}`
    return { host_id: name, name, address: '127.0.0.1', port: at, account: 'reeve-reader', host_key }
  }
  return {
    target: await listen(port, ''),
    targetBeside: async (prefix, more) => listen(await freePort(), prefix, more),
    sh,
    signIns: () => sh(`cat /root/log-${port}`).match(/Accepted publickey for reeve-op/g)?.length ?? 0,
    signal: (name, account) =>
      void sh(
        `for p in /proc/[0-9]*; do if tr '\\0' ' ' <$p/cmdline 2>/dev/null | grep -q "^sshd.*: ${account}"; then kill -${name} "\${p#/proc/}"; fi; done`,
      ),
    async [Symbol.asyncDispose]() {
      const ended = new Promise((done) => first.once('close', done))
      first.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

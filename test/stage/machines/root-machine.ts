import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { chmod, cp, mkdir, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { HELPER } from '../../../server/hosts/reeve-op/shipped-files.ts'
import { makeDebian } from './debian-root.ts'
import { skipReason } from '../skip-reason.ts'
import { ROOT } from '../sources/source-graph.ts'

/** Where the sources are inside. */
export const SOURCES_INSIDE = '/srv/reeve'
/** Nothing of it may count. `true` as a function would be one of bash's. */
const HOSTILE = {
  PATH: '/tmp/evil',
  IFS: '/',
  ENV: '/tmp/evil/env',
  BASH_ENV: '/tmp/evil/env',
  'BASH_FUNC_true%%': '() { :; }',
}

/** A Debian with processes, files and accounts of its own, whose root can do as it likes; and reeve-op with its socket. */
export interface RootMachine extends AsyncDisposable {
  /** Where its files are, seen from here. */
  readonly folder: string
  /** The socket, seen from here. */
  readonly socket: string
  /** Runs a script as root inside; its output, both streams. @throws its end was not 0 */
  sh(script: string): string
  /** The same, while this process goes on answering; with a line at the end that is the exit code. */
  shLater(script: string): Promise<string>
  put(path: string, text: string, mode?: number): Promise<void>
  read(path: string): string
  allow(...lines: string[]): Promise<void>
  /** What /bin/sh is from now on. */
  useShell(shell: Shell): Promise<void>
  /** Ends every process that a connection has started, as a lost connection does; what they have detached stays. */
  killDoors(): void
}

export type Shell = 'dash' | 'bash' | 'busybox'

/** Why there can't be one with this shell; null when there can. */
export function whyNoShell(shell: Shell): string | null {
  return shell === 'busybox' && busybox() === undefined ? skipReason('needs busybox (static)') : null
}

function busybox(): string | undefined {
  return ['/usr/bin/busybox', '/bin/busybox'].find((path) => existsSync(path))
}

/** At `folder`, where `make` puts its files. Resolves with why not. */
export async function openRootMachine(folder: string, make = makeDebian): Promise<RootMachine | string> {
  const missing = await make(folder)
  if (missing !== null) return missing
  const box = busybox()
  if (box !== undefined) await cp(box, join(folder, 'bin/busybox'))
  await mkdir(join(folder, SOURCES_INSIDE))
  const inside = `mount -t proc proc "$1/proc" && mount --bind "$2" "$1${SOURCES_INSIDE}" && ip link set lo up &&
    exec chroot "$1" /bin/dash -c 'echo ready; while :; do sleep 3600; done'`
  const first = spawn(
    'unshare',
    ['--mount', '--pid', '--net', '--fork', '--kill-child', 'sh', '-c', inside, 'sh', folder, ROOT],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  await new Promise<void>((done, fail) => {
    first.once('exit', (code) => fail(new Error(`The machine ended with ${code}.`)))
    first.stdout.once('data', () => done())
  })
  const init = childrenOf(first.pid!)[0]
  const enter = ['-t', String(init), '-m', '-p', '-n', '-r', '-w']
  const doors = new Set<number>()
  const socket = join(folder, 'run/reeve-op.sock')
  const server = createServer({ pauseOnConnect: true, allowHalfOpen: true }, (connection) => {
    const door = spawn('nsenter', [...enter, HELPER.program], {
      stdio: [connection, connection, 'inherit'],
      env: HOSTILE_ENTER,
    })
    doors.add(door.pid!)
    door.once('exit', () => doors.delete(door.pid!))
    connection.destroy()
  })
  await new Promise<void>((done) => server.listen(socket, done))
  const machine: RootMachine = {
    folder,
    socket,
    sh: (script) => {
      const { status, stdout, stderr } = spawnSync('nsenter', [...enter, '/bin/dash', '-euc', script], {
        encoding: 'utf8',
        env: INSIDE,
      })
      if (status !== 0) throw new Error(`${script}\n${stdout}${stderr}`)
      return stdout + stderr
    },
    shLater: async (script) => {
      const child = spawn('nsenter', [...enter, '/bin/dash', '-uc', `{ ${script}\n} 2>&1; echo $?`], { env: INSIDE })
      let output = ''
      child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
      await new Promise((done) => child.once('close', done))
      return output
    },
    put: async (path, text, mode = 0o644) => {
      await mkdir(dirname(join(folder, path)), { recursive: true, mode: 0o755 })
      await writeFile(join(folder, path), text)
      await chmod(join(folder, path), mode)
    },
    read: (path) => readFileSync(join(folder, path), 'utf8'),
    allow: (...lines) => machine.put(HELPER.list, `${lines.join('\n')}\n`),
    useShell: async (shell) => {
      await rm(join(folder, 'bin/sh'))
      await symlink(shell, join(folder, 'bin/sh'))
    },
    killDoors: () => {
      for (const door of doors)
        for (const pid of descendants(door))
          try {
            process.kill(pid, 'SIGKILL')
          } catch {
            // It has ended by itself.
          }
    },
    [Symbol.asyncDispose]: async () => {
      await new Promise((done) => server.close(done))
      const ended = new Promise((done) => first.once('exit', done))
      first.kill('SIGKILL')
      await ended
    },
  }
  machine.sh(
    `mkdir -p ${HELPER.jobs} ${HELPER.backup} /usr/local/libexec && chmod 700 ${HELPER.state} ${HELPER.state}/*`,
  )
  await cp(join(ROOT, 'packaging/reeve-op/reeve-op'), join(folder, HELPER.program))
  await chmod(join(folder, HELPER.program), 0o755)
  await machine.allow()
  return machine
}

const INSIDE = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  HOME: '/root',
  LC_ALL: 'C.UTF-8',
}
const HOSTILE_ENTER = { ...HOSTILE, PATH: `${HOSTILE.PATH}:/usr/sbin:/usr/bin:/sbin:/bin` }

function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((each) => {
      try {
        return Number(/\) \S (\d+) /.exec(readFileSync(`/proc/${each}/stat`, 'utf8'))?.[1]) === pid
      } catch {
        return false
      }
    })
}

/** Itself first; not what has made itself a session of its own. */
function descendants(pid: number): number[] {
  const sessions = (each: number): string | undefined => {
    try {
      return /\) \S \d+ \d+ (\d+) /.exec(readFileSync(`/proc/${each}/stat`, 'utf8'))?.[1]
    } catch {
      return undefined
    }
  }
  const own = sessions(pid)
  return [
    pid,
    ...childrenOf(pid)
      .filter((each) => sessions(each) === own)
      .flatMap(descendants),
  ]
}

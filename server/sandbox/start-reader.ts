import type { ChildProcess } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bubblewrapCommand, bubblewrapInput } from './bubblewrap.ts'
import type { Findings } from './findings.ts'
import { prlimitOptions } from './resource-limits.ts'
import { shieldedSpawn } from './shielded-spawn.ts'

/** One of our programs that reads untrusted bytes, run as a Node process with a channel. */
export interface ReaderProgram {
  readonly script: URL
  readonly args?: readonly string[]
  /** Node options. */
  readonly options: readonly string[]
  /** The folder for Node's compiled code. */
  readonly programs?: string
  /** How messages are serialised. */
  readonly serialization: 'json' | 'advanced'
  /** Whether it reads from standard input. */
  readonly stdin?: boolean
  /** Folders of the service that it never sees, even inside a folder that every sandbox shows. */
  readonly hidden?: readonly string[]
}

/** Folders visible to it besides the program itself. */
export interface ReaderFolders {
  readonly read: readonly string[]
  /** Folders it may write to, the only ones; the first is its home. */
  readonly write: readonly string[]
}

const KEEP_PROGRAMS = new URL('./keep-programs.ts', import.meta.url).href
const ROOT = join(import.meta.dirname, '../..')
const PROGRAM = ['server', 'contract', 'node_modules', 'package.json'].map((name) => join(ROOT, name))
/** Maximum size of any file that a reader writes. */
const FILE_LIMIT = 8 * 1024 ** 3
/** When memory runs out, a reader is killed and not the service. Its child processes inherit that. */
const FIRST_TO_GO = '{ echo 1000 > /proc/self/oom_score_adj; } 2>/dev/null; exec "$@"'
/** After input, outputs and channel. */
const OPTIONS_FD = 4

/**
 * Starts a reader in bubblewrap with only its program and these folders, without network or environment. If `findings`
 * are null or say that bubblewrap does not work, it is a plain process without environment. It ends with the service,
 * or earlier by `killReader`.
 */
export function startReader(findings: Findings | null, program: ReaderProgram, folders: ReaderFolders): ChildProcess {
  const { script, args = [], options, programs, serialization, stdin = false, hidden = [] } = program
  const keeping = programs === undefined ? [] : ['--import', KEEP_PROGRAMS]
  const env: Record<string, string> = programs === undefined ? {} : { KEPT_PROGRAMS: programs }
  const node = [findings?.node ?? process.execPath, ...options, ...keeping, fileURLToPath(script), ...args]
  const io = [stdin ? 'pipe' : 'ignore', 'ignore', 'ignore', 'ipc'] as const
  if (findings === null || !isIsolated(findings))
    return shieldedSpawn('/bin/sh', ['-c', FIRST_TO_GO, 'sh', ...node], {
      env,
      serialization,
      stdio: io,
      detached: true,
    })
  const [home = '/'] = folders.write
  const inputs = bubblewrapInput(
    {
      read: [findings.node, ...PROGRAM.flatMap(withTarget), ...folders.read],
      write: folders.write,
      hidden,
      mapped: [],
      temporary: null,
      home,
      network: false,
      nested: findings.bwrap.nested,
      env: { ...env, TMPDIR: home, NODE_CHANNEL_FD: '3', NODE_CHANNEL_SERIALIZATION_MODE: serialization },
    },
    OPTIONS_FD,
  )
  const limited = findings.prlimit?.startsWith('/usr/') ? [findings.prlimit, ...prlimitOptions(FILE_LIMIT, true)] : []
  const command = bubblewrapCommand(findings.bwrap.path, [...limited, ...node], OPTIONS_FD)
  const child = shieldedSpawn('/bin/sh', ['-c', FIRST_TO_GO, 'sh', ...command], {
    cwd: '/',
    env: {},
    serialization,
    detached: true,
    stdio: [...io, 'pipe', 'pipe'],
  })
  for (const [i, input] of inputs.entries()) {
    const pipe = child.stdio[OPTIONS_FD + i] as NodeJS.WritableStream
    // If bubblewrap ends before it has read everything, so does the child, which is reported elsewhere.
    pipe.on('error', () => undefined)
    pipe.end(input)
  }
  return child
}

/**
 * Ends a reader at any moment; false when it has already ended. It kills the whole process group: until the sandbox is
 * complete, what bubblewrap has started in it does not end with bubblewrap but waits for it forever. A process that has
 * left the group by then sees the channel close.
 */
export function killReader(child: ChildProcess): boolean {
  if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
    try {
      process.kill(-child.pid, 'SIGKILL')
    } catch {
      // It has already ended.
    }
  }
  const ended = child.kill('SIGKILL')
  if (child.connected) child.disconnect()
  return ended
}

export function isIsolated(findings: Findings): boolean {
  return findings.bwrap.why === null
}

/** The folder may be a link. */
function withTarget(path: string): string[] {
  try {
    return [...new Set([path, realpathSync(path)])]
  } catch {
    return []
  }
}

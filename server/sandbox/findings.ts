import { execFile, spawnSync } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { join } from 'node:path'
import { say, type Sentence } from '../kernel/sentence.ts'
import { cut, visible } from '../kernel/text/plain-text.ts'
import { probeArguments } from './bubblewrap.ts'

const PROBE_DEADLINE_MS = 10_000
const PROBE_ANSWER = 'works'
/** The process ends with its parent and cannot gain privileges. */
export const SETPRIV_OPTIONS = ['--pdeathsig', 'KILL', '--no-new-privs']

/** What this machine and this Node offer for isolating a module. */
export interface Findings {
  readonly node: string
  /** Folders of programs, absolute. */
  readonly path: readonly string[]
  /** `why` is null when a sandbox was actually run with it, otherwise the reason it cannot, as part of a sentence. */
  readonly bwrap: { readonly path: string; readonly why: Sentence | null; readonly nested: boolean }
  /** Whether Node's permission model covers files and child processes, and whether it covers the network. */
  readonly permission: { readonly files: boolean; readonly network: boolean }
  /** Programs that end a process with its parent, and that limit its resources; null if they do not work. */
  readonly setpriv: string | null
  readonly prlimit: string | null
  /** The service runs as root, and so do modules. */
  readonly root: boolean
}

export interface Programs {
  readonly node: string
  readonly path: readonly string[]
  readonly bwrap: string
}

interface Probe {
  readonly path: string | null
  readonly args: readonly string[]
}
interface ProbeResult {
  readonly stdout: string
  readonly stderr: string
  readonly timedOut: boolean
}
const RUN = { env: {}, cwd: '/', timeout: PROBE_DEADLINE_MS, killSignal: 'SIGKILL', encoding: 'utf8' } as const

/** Finds out what works here by trying it. Never rejects. */
export async function findFindings(programs: Programs): Promise<Findings> {
  const all = probes(programs)
  return assess(programs, all, await Promise.all(all.map(run)))
}

/** The same synchronously, for callers that cannot wait for a promise; blocks everything else. */
export function findFindingsNow(programs: Programs): Findings {
  const all = probes(programs)
  return assess(programs, all, all.map(runNow))
}

function probes({ node, path, bwrap }: Programs): Probe[] {
  const echo = findProgram('echo', path) ?? '/bin/echo'
  return [
    { path: findProgram(bwrap, path), args: probeArguments(node, PROBE_ANSWER, false) },
    { path: findProgram(bwrap, path), args: probeArguments(node, PROBE_ANSWER, true) },
    { path: findProgram('setpriv', path), args: [...SETPRIV_OPTIONS, echo, PROBE_ANSWER] },
    { path: findProgram('prlimit', path), args: ['--core=0', '--', echo, PROBE_ANSWER] },
  ]
}

function run({ path, args }: Probe): Promise<ProbeResult | null> {
  if (path === null) return Promise.resolve(null)
  return new Promise((resolve) => {
    execFile(path, args, RUN, (error, stdout, stderr) => resolve({ stdout, stderr, timedOut: error?.killed === true }))
  })
}

function runNow({ path, args }: Probe): ProbeResult | null {
  if (path === null) return null
  const { stdout, stderr, error } = spawnSync(path, args, RUN)
  return { stdout: stdout ?? '', stderr: stderr ?? '', timedOut: error !== undefined }
}

function judge(result: ProbeResult | null): Sentence | null {
  if (result === null) return say`it is not installed`
  if (result.stdout.trim() === PROBE_ANSWER) return null
  if (result.timedOut) return say`it did not come up in time`
  const line = cut(visible(result.stderr.trim().split('\n', 1)[0] ?? ''), 200)
  return line === '' ? say`it does not start` : say`it says “${line}”`
}

function assess(
  { node, path, bwrap }: Programs,
  all: readonly Probe[],
  results: readonly (ProbeResult | null)[],
): Findings {
  const flags = process.allowedNodeEnvironmentFlags
  const working = (index: number): string | null =>
    judge(results[index] ?? null) === null ? (all[index]?.path ?? null) : null
  return {
    node,
    path,
    bwrap: { path: all[0]?.path ?? bwrap, why: judge(results[1] ?? null), nested: judge(results[0] ?? null) !== null },
    permission: { files: flags.has('--permission'), network: flags.has('--permission') && flags.has('--allow-net') },
    setpriv: working(2),
    prlimit: working(3),
    root: process.getuid?.() === 0,
  }
}

/** Path of a program, given its name in these folders or its path. Null when there is no executable one. */
function findProgram(name: string, path: readonly string[]): string | null {
  const places = name.includes('/') ? [name] : path.map((folder) => join(folder, name))
  return places.find(isProgram) ?? null
}

export function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

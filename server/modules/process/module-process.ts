import type { ChildProcess } from 'node:child_process'
import { constants } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import { say, type Sentence } from '../../kernel/sentence.ts'
import { within } from '../../kernel/within.ts'
import type { FoundIsolation, ModuleExit, ModuleLink } from '../spec/module-link.ts'
import { ModuleProblem } from '../spec/module-problem.ts'
import { shieldedSpawn } from '../../sandbox/shielded-spawn.ts'
import type { ControlGroup } from './control-groups.ts'
import { memoryUse, memoryOfOne } from './memory-use.ts'
import type { ModuleCommand } from './module-command.ts'
import { DEFAULT_DISK_BYTES, DEFAULT_PROCESSES, type ProcessLimits } from './process-limits.ts'
import { readProcess, readProcessTable } from './process-table.ts'
import { killTree, signalProcess, treeMembers, type TreeRoot } from './process-tree.ts'
import { StderrTail } from '../spec/stderr-tail.ts'
import { StdioTransport } from './stdio-transport.ts'
import { memoryReason, type Watchdog } from './watchdog.ts'

const LEAVE_BY_ITSELF_MS = 1000
const LEAVE_ON_SIGTERM_MS = 2000
const LAST_WORDS_MS = 500

export interface ModuleProcessOptions {
  readonly isolation: FoundIsolation
  readonly limits: ProcessLimits
  readonly home: string
  readonly temporary: string
  readonly watchdog: Watchdog
  /** The control group it was started in, on machines that have them. */
  readonly group: ControlGroup | null
  /** Called once when nothing of it is running any more, before `gone` resolves. */
  readonly cleanUp: () => Promise<void>
}

export interface ModuleProcess extends ModuleLink {
  /** How its processes are found again, even by another process. */
  readonly root: TreeRoot
}

/** Starts the process. Resolves once it exists. @throws {ModuleProblem} when it cannot be started */
export async function openModuleProcess(
  { command, env, cwd, inputs }: ModuleCommand,
  options: ModuleProcessOptions,
): Promise<ModuleProcess> {
  const { limits, isolation, watchdog, group } = options
  const [program = '', ...args] = command
  const child = start(program, args, { cwd, env, inputs: inputs.length })
  const exited = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }))
  })
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', (error) =>
      reject(new ModuleProblem(say`It cannot be started (${error.message}).`, { cause: error })),
    )
  })
  child.on('error', () => undefined)
  inputs.forEach((content, index) => {
    const stream = child.stdio[index + 3] as Writable
    stream.on('error', () => undefined)
    stream.end(content)
  })

  const pid = child.pid!
  const root: TreeRoot = { pid, started: readProcess(pid)?.started ?? '', temporary: options.temporary }
  const known = new Map<number, string>()
  const measured = { memory: 0, processes: 1 }
  const started_at = Date.now()
  let reason: Sentence | null = null
  let over = false
  let closing: Promise<void> | null = null

  const kill = (why: Sentence): void => {
    reason ??= why
    group?.kill()
    void killTree(root, known)
  }
  const tail = new StderrTail()
  tail.read(child.stderr!)
  const transport = new StdioTransport(child.stdout!, child.stdin!, {
    onNoise: (line) => {
      const shown = line.slice(0, 4000)
      if (tail.allows(shown.length)) tail.note(`stdout: ${shown}`)
    },
    onOverrun: kill,
    onClose: () => close(),
  })
  const unwatch = watchdog.watch({
    memory_bytes: limits.memory_bytes,
    processes: limits.processes ?? DEFAULT_PROCESSES,
    disk_bytes: limits.disk_bytes ?? DEFAULT_DISK_BYTES,
    folders: [options.home, options.temporary],
    members: (table) => treeMembers(table, root, known),
    memory: async (pids) => (await group?.memory()) ?? memoryUse(pids, limits.memory_bytes),
    measured: (memory, processes) => Object.assign(measured, { memory, processes }),
    stop: kill,
  })

  const gone: Promise<ModuleExit> = exited.then(async (exit) => {
    // If its silence was noticed first it was "stopped", but the reason it ended is the one the kernel gives.
    if (group?.overrun() === true) reason = memoryReason(limits.memory_bytes)
    await killTree(root, known)
    if (reason === null) await ended(child.stdout!, LAST_WORDS_MS)
    over = true
    unwatch()
    for (const stream of child.stdio) stream?.destroy()
    transport.end()
    await options.cleanUp()
    const { code, signal } = isolation.level === 'isolated' ? fromBubblewrap(exit) : exit
    return { code, signal, reason: reason ?? ownEnd(code, signal) }
  })

  function close(): Promise<void> {
    closing ??= (async () => {
      reason ??= say`It was stopped.`
      child.stdin!.end()
      if ((await within(exited, LEAVE_BY_ITSELF_MS)) === null) {
        for (const row of treeMembers(readProcessTable(), root, known)) {
          // On SIGTERM, bubblewrap would kill everything in it at once.
          if (row.name !== 'bwrap') signalProcess(row.pid, 'SIGTERM')
        }
        if ((await within(exited, LEAVE_ON_SIGTERM_MS)) === null) await killTree(root, known)
      }
      await gone
    })()
    return closing
  }

  return {
    transport,
    isolation,
    root,
    gone,
    close,
    stderr: () => tail.lines(),
    note: (line) => tail.told(line),
    process() {
      if (over) return null
      if (measured.memory === 0) {
        // The watchdog hasn't measured it yet.
        const rows = treeMembers(readProcessTable(), root, known)
        Object.assign(measured, {
          memory: rows.reduce((sum, row) => sum + memoryOfOne(row.pid), 0),
          processes: rows.length,
        })
      }
      return { pid, started_at, ...measured, noise_lines: transport.noiseLines }
    },
  }
}

function start(
  program: string,
  args: readonly string[],
  { cwd, env, inputs }: { cwd: string; env: Readonly<Record<string, string>>; inputs: number },
): ChildProcess {
  const stdio = Array.from({ length: 3 + inputs }, () => 'pipe' as const)
  // A process group and session of its own, so that all of it can be signalled at once.
  return shieldedSpawn(program, args, { cwd, env: { ...env }, stdio, detached: true })
}

/** Bubblewrap exits with 128 + the number of the signal that ended the program in it. */
function fromBubblewrap(exit: { code: number | null; signal: string | null }): typeof exit {
  const name = Object.entries(constants.signals).find(([, number]) => number === (exit.code ?? 0) - 128)?.[0]
  return name === undefined ? exit : { code: null, signal: name }
}

function ownEnd(code: number | null, signal: string | null): Sentence {
  if (signal !== null) return say`It was ended by the signal ${signal}.`
  return code === 0 || code === null ? say`It exited by itself.` : say`It exited by itself with code ${code}.`
}

async function ended(stream: Readable, milliseconds: number): Promise<void> {
  if (stream.destroyed || stream.readableEnded || stream.listenerCount('data') === 0) return
  await within(new Promise((resolve) => stream.once('close', resolve)), milliseconds)
}

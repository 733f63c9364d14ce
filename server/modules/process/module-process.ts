import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { constants } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import type { Isolation } from '../../../contract/modules.ts'
import type { ModuleExit, ModuleLink } from '../module-link.ts'
import { inheritedFiles } from './inherited-files.ts'
import type { ModuleCommand } from './module-command.ts'
import { DEFAULT_DISK_BYTES, DEFAULT_PROCESSES, type ProcessLimits } from './process-limits.ts'
import { readMemory, readProcess, readProcessTable } from './process-table.ts'
import { killTree, signalProcess, treeMembers, type TreeRoot } from './process-tree.ts'
import { StderrTail } from './stderr-tail.ts'
import { StdioTransport } from './stdio-transport.ts'
import type { Watchdog } from './watchdog.ts'

const LEAVE_BY_ITSELF_MS = 1000
const LEAVE_ON_SIGTERM_MS = 2000
const LAST_WORDS_MS = 500

export interface ModuleProcessOptions {
  readonly isolation: Isolation
  readonly limits: ProcessLimits
  readonly home: string
  readonly temporary: string
  readonly watchdog: Watchdog
  /** Called once when nothing of it runs any more, before `gone` settles. */
  readonly cleanUp: () => Promise<void>
}

export interface ModuleProcess extends ModuleLink {
  /** How its processes are found again, by another process too. */
  readonly root: TreeRoot
}

/** Starts the process; resolves when it exists, rejects with a sentence when it cannot be started. */
export async function openModuleProcess(
  { command, env, cwd, inputs }: ModuleCommand,
  options: ModuleProcessOptions,
): Promise<ModuleProcess> {
  const { limits, isolation, watchdog } = options
  const [program = '', ...args] = command
  const child = start(program, args, { cwd, env, inputs: inputs.length })
  const exited = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }))
  })
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', (error) => reject(new Error(`It cannot be started: ${error.message}`, { cause: error })))
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
  const measured = { rss: 0, processes: 1 }
  const started_at = Date.now()
  let reason: string | null = null
  let over = false
  let closing: Promise<void> | null = null

  const kill = (why: string): void => {
    reason ??= why
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
    measured: (rss, processes) => Object.assign(measured, { rss, processes }),
    stop: kill,
  })

  const gone: Promise<ModuleExit> = exited.then(async (exit) => {
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
      reason ??= 'It was stopped.'
      child.stdin!.end()
      if (!(await within(exited, LEAVE_BY_ITSELF_MS))) {
        for (const row of treeMembers(readProcessTable(), root, known)) {
          // Told to end, bubblewrap would kill what is in it at once.
          if (row.name !== 'bwrap') signalProcess(row.pid, 'SIGTERM')
        }
        if (!(await within(exited, LEAVE_ON_SIGTERM_MS))) await killTree(root, known)
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
    process() {
      if (over) return null
      if (measured.rss === 0) {
        // The watchdog did not look yet.
        const rows = treeMembers(readProcessTable(), root, known)
        Object.assign(measured, {
          rss: rows.reduce((sum, row) => sum + readMemory(row.pid), 0),
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
  const stdio: ('pipe' | 'ignore' | number)[] = Array.from({ length: 3 + inputs }, () => 'pipe')
  const nothing = openSync('/dev/null', 'r')
  try {
    for (const fd of inheritedFiles()) {
      while (stdio.length < fd) stdio.push('ignore')
      if (fd >= 3 + inputs) stdio[fd] = nothing
    }
    // Its own group and session, so that all of it can be told to end at once.
    return spawn(program, args, { cwd, env: { ...env }, stdio, detached: true })
  } finally {
    closeSync(nothing)
  }
}

/** It ends with 128 + the number of the signal that ended what was in it. */
function fromBubblewrap(exit: { code: number | null; signal: string | null }): typeof exit {
  const name = Object.entries(constants.signals).find(([, number]) => number === (exit.code ?? 0) - 128)?.[0]
  return name === undefined ? exit : { code: null, signal: name }
}

function ownEnd(code: number | null, signal: string | null): string {
  if (signal !== null) return `It was ended by the signal ${signal}.`
  return code === 0 ? 'It ended by itself.' : `It ended by itself with code ${code}.`
}

async function within(promise: Promise<unknown>, milliseconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, milliseconds, false)
  })
  const result = await Promise.race([promise.then(() => true), late])
  clearTimeout(timer)
  return result
}

async function ended(stream: Readable, milliseconds: number): Promise<void> {
  if (stream.destroyed || stream.readableEnded || stream.listenerCount('data') === 0) return
  await within(new Promise((resolve) => stream.once('close', resolve)), milliseconds)
}

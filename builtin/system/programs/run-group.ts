import { spawn, type ChildProcess } from 'node:child_process'
import { commandEnvironment } from './environment.ts'
import { captureOutput } from './output-capture.ts'
import { endGroup, signalGroup } from './process-group.ts'

const OUTPUT_LIMIT = 256 * 1024
/** How long to wait for output after the program ended: a background process may hold the pipes open. */
const DRAIN_MS = 300
/** Time from SIGTERM to SIGKILL. A person who cancels waits for it, so it is shorter then. */
const CANCEL_GRACE_MS = 500
const DEADLINE_GRACE_MS = 2000

export interface GroupRun {
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string | undefined
  readonly stdin: string | undefined
  readonly deadline_ms: number
  readonly onOutput: (text: string) => void
  /** Called with the id of the group once it exists; the returned function is called when it has ended. */
  readonly onStart: (leader: number) => () => void
}

export interface GroupResult {
  /** Null when a signal ended it. */
  readonly exit_code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
  /** Bytes left out of each stream. */
  readonly stdout_cut: number
  readonly stderr_cut: number
  readonly duration_ms: number
  readonly stopped: 'deadline' | 'cancelled' | null
  /** It ended, but something that it started is still running. */
  readonly background: boolean
}

/**
 * Runs a program in a process group of its own, so that a deadline or cancellation ends everything that it started.
 * Resolves when it has ended. @throws {Error} with the system's code when it cannot be started
 */
export function runGroup(run: GroupRun, signal: AbortSignal): Promise<GroupResult> {
  return new Promise((resolve, reject) => {
    const from = performance.now()
    const out = captureOutput(OUTPUT_LIMIT)
    const err = captureOutput(OUTPUT_LIMIT)
    const child = spawn(run.command, run.args, {
      cwd: run.cwd,
      env: commandEnvironment(),
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    const leader = child.pid
    if (leader === undefined) {
      child.once('error', reject)
      return
    }
    child.on('error', () => undefined)
    const onEnd = run.onStart(leader)
    child.stdout.on('data', (chunk: Buffer) => {
      out.push(chunk)
      run.onOutput(chunk.toString())
    })
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk))
    // A program may ignore its input and close the pipe.
    child.stdin.on('error', () => undefined)
    child.stdin.end(run.stdin ?? '')

    let stopped: GroupResult['stopped'] = null
    let ending: ReturnType<typeof endGroup> | null = null
    const groupEnded = Promise.withResolvers<void>()
    const stop = (why: 'deadline' | 'cancelled') => {
      if (stopped !== null) return
      stopped = why
      ending = endGroup(leader, why === 'deadline' ? DEADLINE_GRACE_MS : CANCEL_GRACE_MS, groupEnded.resolve)
    }
    const onAbort = () => stop('cancelled')
    const timer = setTimeout(stop, run.deadline_ms, 'deadline')
    signal.addEventListener('abort', onAbort, { once: true })

    async function finish(): Promise<GroupResult> {
      const exit = await exitOf(child)
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      ending?.leaderEnded()
      if (ending !== null) await groupEnded.promise
      await drained(child)
      return {
        exit_code: exit.code,
        signal: exit.signal,
        stdout: out.text(),
        stderr: err.text(),
        stdout_cut: out.cut(),
        stderr_cut: err.cut(),
        duration_ms: Math.round(performance.now() - from),
        stopped,
        background: stopped === null && signalGroup(leader ?? 0, 0),
      }
    }
    finish().finally(onEnd).then(resolve, reject)
    if (signal.aborted) onAbort()
  })
}

function exitOf(child: ChildProcess): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }))
  })
}

async function drained(child: ChildProcess): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    child.once('close', () => resolve())
  })
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, DRAIN_MS)
  })
  // Both pipes may have closed before the exit was reported.
  if (child.stdout?.closed !== true || child.stderr?.closed !== true) await Promise.race([closed, late])
  clearTimeout(timer)
  child.stdout?.destroy()
  child.stderr?.destroy()
}

import { spawn, type ChildProcess } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Command, CommandEnd, CommandLoss, CommandRefusal, Outcome } from '../../modules/machines.ts'
import type { CommandWatch } from '../../modules/process/command-watch.ts'
import { commandEnvironment } from './command-environment.ts'
import { captureOutput } from './output-capture.ts'
import { endGroup, signalGroup } from './process-group.ts'

/** How long to wait for output after the program ended: a background process may hold the pipes open. */
const DRAIN_MS = 300
/** Time from SIGTERM to SIGKILL. A person who cancels waits for it, so it is shorter then. */
const CANCEL_GRACE_MS = 500
const DEADLINE_GRACE_MS = 2000
/** Whatever has not ended so long after SIGKILL waits in the kernel, for a dead network mount or a frozen group. */
const ABANDON_MS = 2000

/** Ends what calls run on this machine with the service; a server for another MCP client has none. */
export type Commands = Pick<CommandWatch, 'watch'> | null

/** `Machine.run` here: a process group of its own, so that a deadline or cancellation ends everything that it started. */
export async function runGroup(command: Command, commands: Commands, signal: AbortSignal): Promise<Outcome> {
  const { argv, cwd, stdin, tool_call_id } = command
  if (cwd !== undefined && !(await isDirectory(cwd))) return { kind: 'refused', why: 'no_directory', detail: cwd }
  const from = performance.now()
  const [program, ...args] = argv
  let child: ReturnType<typeof start>
  try {
    child = start(program, args, cwd)
  } catch (error) {
    return refusal(error)
  }
  const leader = child.pid
  if (leader === undefined) return await new Promise((resolve) => child.once('error', (e) => resolve(refusal(e))))
  child.on('error', () => undefined)
  const ended =
    tool_call_id === undefined ? undefined : commands?.watch(leader, { tool_call_id, name: basename(program) })
  const out = captureOutput(command.max_bytes)
  const err = captureOutput(command.max_bytes)
  child.stdout.on('data', (chunk: Buffer) => {
    out.push(chunk)
    command.onOutput?.(chunk.toString())
  })
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk))
  // A program may ignore its input and close the pipe.
  child.stdin.on('error', () => undefined)
  child.stdin.end(stdin ?? '')
  const end = await endOf(child, leader, command.deadline_ms, signal)
  ended?.()
  if (end === null) return ABANDONED
  return {
    kind: 'ended',
    ...end,
    stdout: out.text(),
    stderr: err.text(),
    cut: { stdout: out.cut(), stderr: err.cut() },
    duration_ms: Math.round(performance.now() - from),
    background: end.stopped === null && signalGroup(leader, 0),
  }
}

const ABANDONED: CommandLoss = {
  kind: 'lost',
  lost: 'unknown',
  message: 'It was told to end and has not: it waits for something in the system itself. What it has done is unknown.',
}

function start(program: string, args: readonly string[], cwd: string | undefined) {
  return spawn(program, args, {
    cwd,
    env: commandEnvironment(),
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  })
}

/** How it ended, once nothing of it is left and its output has been read; null when it does not end. */
async function endOf(
  child: ChildProcess,
  leader: number,
  deadline_ms: number,
  signal: AbortSignal,
): Promise<Pick<CommandEnd, 'exit_code' | 'signal' | 'stopped'> | null> {
  const told: { stopped: CommandEnd['stopped']; ending?: ReturnType<typeof endGroup> } = { stopped: null }
  let abandoning: NodeJS.Timeout | undefined
  const groupEnded = Promise.withResolvers<void>()
  const abandoned = Promise.withResolvers<null>()
  const stop = (why: 'deadline' | 'cancelled') => {
    if (told.stopped !== null) return
    told.stopped = why
    told.ending = endGroup(leader, why === 'deadline' ? DEADLINE_GRACE_MS : CANCEL_GRACE_MS, () => {
      groupEnded.resolve()
      abandoning = setTimeout(abandoned.resolve, ABANDON_MS, null)
    })
  }
  const onAbort = () => stop('cancelled')
  const timer = setTimeout(stop, deadline_ms, 'deadline')
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  const exit = await Promise.race([exitOf(child), abandoned.promise])
  clearTimeout(timer)
  signal.removeEventListener('abort', onAbort)
  told.ending?.leaderEnded()
  if (told.ending !== undefined) await groupEnded.promise
  clearTimeout(abandoning)
  await drained(child, exit === null)
  return exit && { exit_code: exit.code, signal: exit.signal, stopped: told.stopped }
}

function exitOf(child: ChildProcess): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }))
  })
}

async function drained(child: ChildProcess, abandon: boolean): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    child.once('close', () => resolve())
  })
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, DRAIN_MS)
  })
  // Both pipes may have closed before the exit was reported.
  if (!abandon && (child.stdout?.closed !== true || child.stderr?.closed !== true)) await Promise.race([closed, late])
  clearTimeout(timer)
  child.stdout?.destroy()
  child.stderr?.destroy()
  if (abandon) child.unref()
}

async function isDirectory(path: string): Promise<boolean> {
  const stats = await stat(path).catch(() => null)
  return stats?.isDirectory() === true
}

const REFUSALS: Readonly<Record<string, CommandRefusal['why']>> = {
  ENOENT: 'no_program',
  EACCES: 'denied',
  E2BIG: 'too_long',
}

function refusal(error: unknown): CommandRefusal {
  const { code, message } = error as NodeJS.ErrnoException
  return { kind: 'refused', why: REFUSALS[code ?? ''] ?? 'other', detail: code ?? message }
}

import { setTimeout } from 'node:timers/promises'
import { z } from 'zod'
import { type Machine, MachineUnreachable } from '../../../server/modules/machines.ts'
import { UnknownOutcome } from '../../tool.ts'
import { parseBootTime } from '../linux/cpu-times.ts'
import { readTexts, requireLinux } from '../linux/kernel-texts.ts'
import { parseProcess, type ProcessEntry, PROCESSES } from '../linux/process-table.ts'
import { machineTool } from '../machine-tool.ts'
import { askProgram } from '../programs/ask-program.ts'

const SIGNALS = ['TERM', 'KILL', 'HUP', 'INT', 'QUIT', 'USR1', 'USR2', 'STOP', 'CONT'] as const
const ENDING = new Set<string>(['TERM', 'KILL', 'INT', 'QUIT'])
const WAIT_MS = 2000
const STEP_MS = 25
/** The kernel reports the start of a process and its boot time in whole seconds. */
const PRECISION_MS = 2000
const BOOT = '/proc/stat'
/** A shell knows `kill`; the program of that name is missing from many small systems. */
const KILL = ['/bin/sh', '-c', 'kill -s "$1" -- "$2"', 'sh'] as const

/** Sends a signal to one process. */
export const signalProcessTool = machineTool({
  name: 'signal_process',
  title: 'Signal a process',
  description:
    'Sends a signal to one process: TERM asks it to end, KILL ends it at once, HUP makes many services re-read their settings, STOP and CONT pause and go on. Give ' +
    '"started" as "processes" showed it, so that another process which got the same number meanwhile is left alone. Tells whether the process ended within 2 s.',
  effect: 'destructive',
  summary: 'Sends SIG{signal} to process {pid}[, if it started at {started}]',
  input: z.strictObject({
    pid: z
      .int()
      .min(1)
      .max(2 ** 22)
      .describe('Number of the process'),
    signal: z.enum(SIGNALS).default('TERM'),
    started: z.string().max(40).optional().describe('Its start time as shown by "processes"'),
  }),
  async run({ pid, signal: name, started }, { machine, signal }) {
    const { reeve } = await requireLinux(machine, 'Processes', signal)
    if (pid === 1) throw new Error('Process 1 is the root of all others; it is not signalled from here.')
    if (pid === reeve?.pid) throw new Error('This is Reeve itself; it is not signalled from here.')
    if (pid === reeve?.parent) throw new Error('This is the process that runs Reeve; it is not signalled from here.')
    const target = await readProcess(machine, pid, signal)
    if (target === null) throw new Error(`There is no process ${pid}.`)
    if (started !== undefined) {
      const expected = Date.parse(started)
      if (Number.isNaN(expected)) throw new Error(`"${started}" is not a date and time.`)
      if (Math.abs(expected - target.started) > PRECISION_MS) {
        throw new Error(
          `Process ${pid} started at ${new Date(target.started).toISOString()}, not at ${started}: it is another one now.`,
        )
      }
    }
    signal.throwIfAborted()
    // From here on a cancelled call goes on: what it did would not be told otherwise.
    const until = new AbortController().signal
    await send(machine, target, name, until)
    const what = `SIG${name} was sent to process ${pid} (${target.command.slice(0, 200)})`
    if (!ENDING.has(name)) return { text: `${what}.` }
    for (let waited = 0; waited < WAIT_MS; waited += STEP_MS) {
      const now = await readProcess(machine, pid, until).catch((error: unknown) => {
        throw error instanceof MachineUnreachable ? new UnknownOutcome(`${what}. ${error.message}`) : error
      })
      // A zombie has ended, but its parent has not collected it yet.
      if (now === null || now.state === 'Z' || now.started !== target.started) return { text: `${what}. It has ended.` }
      await setTimeout(STEP_MS)
    }
    return { text: `${what}. It still runs after ${WAIT_MS / 1000} s.` }
  },
})

/** Null when there is no such process. */
async function readProcess(machine: Machine, pid: number, signal: AbortSignal): Promise<ProcessEntry | null> {
  const path = (name: string) => `${PROCESSES}/${pid}/${name}`
  const { text } = await readTexts(machine, [path('stat'), path('cmdline'), BOOT], signal)
  const stat = text(path('stat'))
  if (stat === null) return null
  const files = { stat, cmdline: text(path('cmdline')) ?? '' }
  return parseProcess({ name: String(pid), files }, parseBootTime(text(BOOT)))
}

async function send(machine: Machine, target: ProcessEntry, name: string, signal: AbortSignal): Promise<void> {
  const { pid, started } = target
  const { code } = await askProgram(machine, [...KILL, name, String(pid)], 10_000, signal)
  if (code === 0) return
  // What the shell says is in the language of the machine; that it is still there says the same.
  const now = await readProcess(machine, pid, signal)
  if (now === null || now.started !== started) throw new Error(`Process ${pid} ended just now.`)
  throw new Error(`The service's user may not signal process ${pid}.`)
}

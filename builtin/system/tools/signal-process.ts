import { setTimeout } from 'node:timers/promises'
import { z } from 'zod'
import { tool } from '../../tool.ts'
import { readProcess } from '../linux/process-table.ts'
import { requireLinux } from '../linux/proc.ts'

const SIGNALS = ['TERM', 'KILL', 'HUP', 'INT', 'QUIT', 'USR1', 'USR2', 'STOP', 'CONT'] as const
const ENDING = new Set<string>(['TERM', 'KILL', 'INT', 'QUIT'])
const WAIT_MS = 2000
const STEP_MS = 25
/** The kernel reports the start of a process and its boot time in whole seconds. */
const PRECISION_MS = 2000

/** Sends a signal to one process. */
export const signalProcessTool = tool({
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
  async run({ pid, signal: name, started }, { signal }) {
    requireLinux('Processes')
    if (pid === 1) throw new Error('Process 1 is the root of all others; it is not signalled from here.')
    if (pid === process.pid) throw new Error('This is Reeve itself; it is not signalled from here.')
    if (pid === process.ppid) throw new Error('This is the process that runs Reeve; it is not signalled from here.')
    const target = readProcess(pid)
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
    send(pid, `SIG${name}`)
    const what = `SIG${name} was sent to process ${pid} (${target.command.slice(0, 200)})`
    if (!ENDING.has(name)) return { text: `${what}.` }
    for (let waited = 0; waited < WAIT_MS; waited += STEP_MS) {
      const now = readProcess(pid)
      // A zombie has ended, but its parent has not collected it yet.
      if (now === null || now.state === 'Z' || now.started !== target.started) return { text: `${what}. It has ended.` }
      await setTimeout(STEP_MS)
    }
    return { text: `${what}. It still runs after ${WAIT_MS / 1000} s.` }
  },
})

function send(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EPERM') throw new Error(`The service's user may not signal process ${pid}.`)
    if (code === 'ESRCH') throw new Error(`Process ${pid} ended just now.`)
    throw error
  }
}

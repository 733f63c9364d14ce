import { z } from 'zod'
import type { Machine } from '../../../server/modules/machines.ts'
import { askProgram } from '../programs/ask-program.ts'
import { afterwards } from './afterwards.ts'
import { doOperation } from './do-operation.ts'
import { operationTools } from './operation-tools.ts'
import { stateChange } from './state-change.ts'

const DEADLINE_MS = 180_000
const MIB = 1024 * 1024

export const journalVacuumTools = operationTools({
  name: 'journal_vacuum',
  title: 'Remove old log entries',
  description:
    'Removes the oldest entries of the systemd journal, as root by the helper reeve-op, until at most "megabytes" of archived journals or only the last "days" are left; give one of them. Shows first how ' +
    'much there is. Nothing brings removed entries back.',
  effect: 'destructive',
  summary: 'Removes old entries of the journal[, keeps {megabytes} MiB][, keeps {days} days]',
  deadline_ms: DEADLINE_MS + 20_000,
  input: z.strictObject({
    megabytes: z.int().min(1).max(1_000_000).optional().describe('MiB of archived journals to keep'),
    days: z.int().min(1).max(10_000).optional().describe('Days of entries to keep'),
  }),
  async preview(input, { machine, signal }) {
    keepOf(input)
    const [use, oldest] = await Promise.all([diskUse(machine, signal), oldestEntry(machine, signal)])
    const then = input.days === undefined ? `${input.megabytes} MiB` : `the last ${input.days} days`
    const text = [`Now: ${use.text}`, ...(oldest === '' ? [] : [`Oldest entry: ${oldest}`]), `Kept: at most ${then}`]
    // It grows all the time: the approval holds for what is kept.
    return { state: then, parts: [{ kind: 'plan', title: `${machine.name}: journal`, text: text.join('\n') }] }
  },
  async run(input, context) {
    const keep = keepOf(input)
    const before = await diskUse(context.machine, context.signal)
    const done = await doOperation(context, { op: 'journal', keep }, DEADLINE_MS)
    const after = await afterwards((signal) => diskUse(context.machine, signal))
    const now = after.found?.text ?? after.why
    const about = { target: 'journal', name: 'Journal' }
    return {
      text: `${done.text}\nBefore: ${before.text}\nNow: ${now}`,
      failed: !done.ok,
      changes: done.ok ? [stateChange(about, `${before.text}\n`, `${now}\n`, { final: true })] : [],
    }
  },
  async verify({ megabytes }, { machine, signal }) {
    const { bytes, text } = await diskUse(machine, signal)
    if (megabytes === undefined || bytes === null) throw new Error(`The journal says: ${text}`)
    // Journals that are being written are counted, and never removed: each has at least 8 MiB.
    const most = megabytes * MIB + 128 * MIB
    return { ok: bytes <= most, expected: `about ${megabytes} MiB, and what is being written`, found: text }
  },
})

/** @throws {Error} with a sentence unless exactly one of them is given */
function keepOf({ megabytes, days }: { megabytes?: number | undefined; days?: number | undefined }) {
  if (megabytes !== undefined && days === undefined) return { bytes: megabytes * MIB }
  if (days !== undefined && megabytes === undefined) return { days }
  throw new Error('Give either "megabytes" or "days".')
}

async function diskUse(machine: Machine, signal: AbortSignal): Promise<{ text: string; bytes: number | null }> {
  const { code, stdout, stderr } = await askProgram(
    machine,
    ['env', 'LC_ALL=C', 'journalctl', '--disk-usage'],
    20_000,
    signal,
  )
  if (code !== 0) throw new Error(`journalctl failed: ${stderr.trim().slice(-500) || `exit code ${code}`}`)
  return { text: stdout.trim().split('\n').at(-1)!.slice(0, 300), bytes: parseDiskUse(stdout) }
}

const UNITS = 'BKMGTP'

/** Bytes of `Archived and active journals take up 48.0M in the file system.` */
export function parseDiskUse(text: string): number | null {
  const [, number, unit] = /take up (\d{1,12}(?:\.\d{1,3})?)([BKMGTP])/.exec(text) ?? []
  return number === undefined ? null : Math.round(Number(number) * 1024 ** UNITS.indexOf(unit!))
}

/** When the oldest boot that it knows began; empty where it doesn't say. */
async function oldestEntry(machine: Machine, signal: AbortSignal): Promise<string> {
  const argv = ['env', 'LC_ALL=C', 'TZ=UTC', 'journalctl', '--list-boots', '--no-pager'] as const
  const { stdout } = await askProgram(machine, argv, 10_000, signal)
  return /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/.exec(stdout.slice(0, 2000))?.[0] ?? ''
}

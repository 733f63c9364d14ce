import { z } from 'zod'
import type { Operation } from '../../../server/modules/machine-operation.ts'
import type { Machine } from '../../../server/modules/machines.ts'
import { afterwards } from './afterwards.ts'
import { doOperation } from './do-operation.ts'
import { operationTools } from './operation-tools.ts'
import { mustBeAsShown, stateChange, type Change } from './state-change.ts'
import type { MachineContext } from '../machine-tool.ts'

const DEADLINE_MS = 60_000
/** Where systemd writes what is scheduled. */
const SCHEDULED = '/run/systemd/shutdown/scheduled'

export const powerTools = operationTools({
  name: 'power',
  title: 'Restart or switch off',
  description:
    'Schedules a restart or switching off of the machine in "minutes" (at least 1, so that it can still be called off), or cancels what is scheduled, as root by the helper ' +
    'reeve-op. Shows first who is signed in and what asks not to be interrupted.',
  effect: 'destructive',
  summary: 'Has the machine do: {action}[, in {minutes} minutes]',
  deadline_ms: DEADLINE_MS + 20_000,
  undoable: true,
  input: z.strictObject({
    action: z.enum(['reboot', 'off', 'cancel']),
    minutes: z.int().min(1).max(10_080).optional().describe('From now on; 1 unless given. Not of cancel'),
  }),
  async preview(input, { machine, signal }) {
    const operation = operationOf(input)
    const [scheduled, people, inhibitors, jobs] = await Promise.all([
      readScheduled(machine, signal),
      linesOf(machine, ['who'], signal),
      linesOf(machine, ['systemd-inhibit', '--list', '--no-legend', '--no-pager'], signal),
      linesOf(machine, ['systemctl', 'list-jobs', '--no-legend', '--no-pager'], signal),
    ])
    if (operation.action === 'cancel' && scheduled === '')
      throw new Error('Nothing is scheduled, so there is nothing to cancel.')
    const plan =
      operation.action === 'cancel'
        ? 'What is scheduled does not happen.'
        : `${operation.action} in ${operation.minutes} minutes`
    return {
      state: scheduled === '' ? 'nothing' : scheduled,
      parts: [
        {
          kind: 'plan',
          title: `${machine.name}: ${input.action}`,
          text: `${plan}\nScheduled now: ${scheduled || 'nothing'}`,
        },
        {
          kind: 'list',
          title: `${machine.name}: signed in`,
          text: people || 'Nobody, as far as this account can see.',
        },
        {
          kind: 'list',
          title: `${machine.name}: what asks not to be interrupted`,
          text: inhibitors || 'Nothing, as far as this account can see.',
        },
        ...(jobs === ''
          ? []
          : [{ kind: 'list' as const, title: `${machine.name}: what is being started or stopped`, text: jobs }]),
      ],
    }
  },
  async run(input, context) {
    const { machine, signal } = context
    const before = await readScheduled(machine, signal)
    mustBeAsShown(context, before === '' ? 'nothing' : before, 'What is scheduled')
    const done = await doOperation(context, operationOf(input), DEADLINE_MS)
    const after = await afterwards((until) => readScheduled(machine, until))
    const final = input.action === 'cancel' || before !== ''
    const now = after.found ?? after.why
    const change = stateChange({ target: 'power', name: input.action }, `${before}\n`, `${now}\n`, { final })
    return { text: done.text, failed: !done.ok, changes: done.ok ? [change] : [] }
  },
  async verify({ action }, { machine, signal }) {
    const { init } = await machine.facts(signal)
    if (init !== 'systemd') throw new Error('Only systemd says what is scheduled.')
    const found = await readScheduled(machine, signal)
    const wanted = { reboot: 'reboot', off: 'poweroff', cancel: '' }[action]
    const ok = action === 'cancel' ? found === '' : found.startsWith(wanted)
    return {
      ok,
      expected: action === 'cancel' ? 'nothing is scheduled' : wanted,
      found: found || 'nothing is scheduled',
    }
  },
})

type PowerOperation = Extract<Operation, { op: 'power' }>

function operationOf({
  action,
  minutes,
}: {
  action: 'reboot' | 'off' | 'cancel'
  minutes?: number | undefined
}): PowerOperation {
  if (action !== 'cancel') return { op: 'power', action, minutes: minutes ?? 1 }
  if (minutes !== undefined) throw new Error('cancel takes no "minutes".')
  return { op: 'power', action }
}

/** `reboot 2026-11-23T19:00:00.000Z`; empty when nothing is scheduled, or nothing says so. */
async function readScheduled(machine: Machine, signal: AbortSignal): Promise<string> {
  const file = (await machine.readFiles([SCHEDULED], { max: 4000 }, signal)).get(SCHEDULED) ?? 'missing'
  return typeof file === 'string' ? '' : parseScheduled(file.bytes.toString())
}

/** Lines `USEC=`, `MODE=` of systemd's file. */
export function parseScheduled(text: string): string {
  const mode = /^MODE=([a-z-]{1,20})$/m.exec(text)?.[1]
  const at = new Date(Number(/^USEC=(\d{1,17})$/m.exec(text)?.[1]) / 1000)
  return mode === undefined || Number.isNaN(at.getTime()) ? '' : `${mode} ${at.toISOString()}`
}

async function linesOf(machine: Machine, argv: readonly [string, ...string[]], signal: AbortSignal): Promise<string> {
  const end = await machine.run({ argv, deadline_ms: 5000, max_bytes: 8000 }, signal)
  return end.kind === 'ended' && end.exit_code === 0 ? end.stdout.trim() : ''
}

/** What calls a restart off that is still to come. */
export async function undoPower(change: Change, { machine, signal }: MachineContext) {
  const now = await readScheduled(machine, signal)
  if (now === '') throw new Error('Nothing is scheduled any more, so there is nothing to call off.')
  return {
    what: 'power: cancel',
    state: now,
    operation: { op: 'power' as const, action: 'cancel' as const },
    parts: [{ kind: 'plan' as const, title: machine.name, text: `Called off: ${now}` }],
    change: stateChange({ target: change.target, name: change.name }, `${now}\n`, '\n'),
    async check(until: AbortSignal) {
      const left = await readScheduled(machine, until)
      return left === '' ? null : left
    },
  }
}

import { setTimeout } from 'node:timers/promises'
import { z } from 'zod'
import type { ServiceOperation } from '../../../server/modules/machine-operation.ts'
import type { MachineContext } from '../machine-tool.ts'
import { afterwards } from './afterwards.ts'
import { doOperation } from './do-operation.ts'
import { operationTools } from './operation-tools.ts'
import { activeDependents, lastLines, readService, type ServiceState } from './service-state.ts'
import { type Change, mustBeAsLeft, mustBeAsShown, sha256, stateBefore, stateChange } from './state-change.ts'

const DEADLINE_MS = 180_000
/** For so long a service that was started must go on with the same process. */
const WATCHED_MS = 5000
const ACTIONS = ['start', 'stop', 'restart', 'reload', 'enable', 'disable'] as const
type Action = ServiceOperation['action']

/** What can be restored of a service, as text. */
function stateText({ running, at_boot }: Pick<ServiceState, 'running' | 'at_boot'>): string {
  return `running: ${running ? 'yes' : 'no'}\nat boot: ${at_boot ? 'yes' : 'no'}\n`
}

/** How an action that took leaves it. */
function leftBy(action: Action, { running, at_boot }: ServiceState): Pick<ServiceState, 'running' | 'at_boot'> {
  return {
    running: action === 'stop' ? false : action === 'start' || action === 'restart' || running,
    at_boot: action === 'enable' || (action !== 'disable' && at_boot),
  }
}

async function look({ machine, signal }: MachineContext, unit: string) {
  const state = await readService(machine, unit, signal)
  const dependents = await activeDependents(machine, unit, signal)
  return { state, dependents, seen: sha256(`${stateText(state)}${dependents.join(' ')} ${state.triggered_by}`) }
}

export const serviceTools = operationTools({
  name: 'service',
  title: 'Change a service',
  description:
    'Starts, stops, restarts or reloads a service, or has it start at boot or not (enable, disable; they start and stop nothing now), as root by the helper reeve-op. "unit" is ' +
    'the full name such as nginx.service or backup.timer (of OpenRC without ending). Shows first what it is like now and what depends on it, watches it for 5 s afterwards, and can be ' +
    'taken back. Prefer it to systemctl in run_command.',
  effect: 'write',
  summary: 'Has the service {unit} do: {action}',
  main_argument: 'unit',
  deadline_ms: DEADLINE_MS + 20_000,
  undoable: true,
  input: z.strictObject({
    unit: z.string().regex(/^[\w@.:][\w@.:-]{0,199}$/),
    action: z.enum(ACTIONS),
  }),
  async preview({ unit, action }, context) {
    const { state, dependents, seen } = await look(context, unit)
    const lines = [
      `Now: ${state.detail}`,
      `Then: ${thenOf(action, state)}`,
      ...(state.triggered_by === '' ? [] : [`Started by: ${state.triggered_by}`]),
    ]
    const needed = dependents.length === 0 ? 'Nothing that runs depends on it.' : dependents.join('\n')
    return {
      state: seen,
      parts: [
        { kind: 'plan', title: `${unit}: ${action}`, text: lines.join('\n') },
        { kind: 'list', title: `${unit}: what runs and depends on it`, text: needed },
      ],
    }
  },
  async run({ unit, action }, context) {
    const { state: before, seen } = await look(context, unit)
    mustBeAsShown(context, seen, unit)
    const done = await doOperation(context, { op: 'service', action, unit }, DEADLINE_MS)
    const after = await afterwards((signal) => readService(context.machine, unit, signal))
    const about = { target: `service:${unit}`, name: unit }
    const old = stateText(before)
    const now = stateText(after.found ?? (done.ok ? leftBy(action, before) : before))
    const changed = old !== now
    return {
      text: `${done.text}\n${after.found === null ? after.why : `${unit} is ${after.found.detail} now.`}`,
      failed: !done.ok,
      // A restart leaves nothing that could be taken back, but that it was done is worth knowing.
      changes: changed || done.ok ? [stateChange(about, old, now, { final: !changed })] : [],
    }
  },
  async verify({ unit, action }, { machine, signal }) {
    const state = await readService(machine, unit, signal)
    if (action === 'enable' || action === 'disable') {
      const ok = state.at_boot === (action === 'enable')
      return {
        ok,
        expected: `${unit} ${action === 'enable' ? 'starts' : 'does not start'} at boot`,
        found: state.detail,
      }
    }
    if (action === 'stop') return { ok: !state.running, expected: `${unit} does not run`, found: state.detail }
    await setTimeout(WATCHED_MS, undefined, { signal })
    const later = await readService(machine, unit, signal)
    const same = later.running && later.pid === state.pid && later.restarts === state.restarts
    const ok = (state.running && same) || later.ended_well
    const found = `${later.detail}, process ${later.pid || 'none'}, started again ${later.restarts - state.restarts} times`
    return {
      ok,
      expected: `${unit} runs for 5 s with the same process`,
      found: ok ? found : `${found}. It says: ${await lastLines(machine, unit, signal)}`,
    }
  },
})

function thenOf(action: Action, { running, at_boot }: ServiceState): string {
  switch (action) {
    case 'start':
      return running ? 'it runs already, nothing changes' : 'it runs'
    case 'stop':
      return running ? 'it does not run' : 'it does not run already, nothing changes'
    case 'restart':
      return running ? 'it runs with a new process' : 'it runs'
    case 'reload':
      return 'it has read its settings again'
    case 'enable':
      return at_boot ? 'it starts at boot already, nothing changes' : 'it starts at boot'
    case 'disable':
      return at_boot ? 'it does not start at boot' : 'it does not start at boot already, nothing changes'
  }
}

/** What takes a change of a service back, which must be as the change left it. */
export async function undoService(change: Change, { machine, signal }: MachineContext) {
  const unit = change.target.slice('service:'.length)
  const now = await readService(machine, unit, signal)
  mustBeAsLeft(change, stateText(now))
  const before = stateBefore(change)
  const wasRunning = before.includes('running: yes')
  // An operation changes one of the two.
  const action: Action =
    wasRunning === now.running
      ? before.includes('at boot: yes')
        ? 'enable'
        : 'disable'
      : wasRunning
        ? 'start'
        : 'stop'
  return {
    what: `${unit}: ${action}`,
    state: sha256(stateText(now)),
    operation: { op: 'service' as const, action, unit },
    parts: [
      { kind: 'plan' as const, title: `${unit}: ${action}`, text: `Now: ${now.detail}\nThen:\n${before.trim()}` },
    ],
    change: stateChange({ target: change.target, name: change.name }, stateText(now), before),
    async check(until: AbortSignal) {
      const found = await readService(machine, unit, until)
      return stateText(found) === before ? null : `${unit} is ${found.detail}`
    },
  }
}

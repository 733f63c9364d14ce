import { z } from 'zod'
import type { PackageOperation, PlannedAction } from '../../../server/modules/machine-operation.ts'
import type { ToolChange, ToolPreview } from '../../../server/chat/ports/tools.ts'
import type { MachineContext } from '../machine-tool.ts'
import {
  downloadSize,
  installedPackages,
  type Manager,
  managerOf,
  type Plan,
  planPackages,
} from '../packages/ask-packages.ts'
import { doablePlan } from '../packages/doable-plan.ts'
import type { PlannedPackage } from '../packages/package-plan.ts'
import { askProgram } from '../programs/ask-program.ts'
import { afterwards } from './afterwards.ts'
import { doOperation } from './do-operation.ts'
import { operationTools } from './operation-tools.ts'
import { type Change, mustBeAsLeft, mustBeAsShown, stateBefore, stateChange } from './state-change.ts'

const DEADLINE_MS = 40 * 60_000
const ACTIONS = ['install', 'upgrade', 'remove', 'hold', 'unhold', 'refresh', 'repair'] as const
type Action = (typeof ACTIONS)[number]
/** A trailing "-" would have apt remove what it is told to install. */
const Name = z
  .string()
  .regex(/^[a-z0-9](?:[A-Za-z0-9+._:-]{0,198}[A-Za-z0-9+])?(?:=[A-Za-z0-9][A-Za-z0-9+.:~_-]{0,200})?$/)
const REMARK: Readonly<Record<'hold' | 'unhold' | 'refresh' | 'repair', string>> = {
  hold: 'These keep the version they have.',
  unhold: 'These are upgraded with the others again.',
  refresh: 'The lists of available packages are fetched again. No package changes.',
  repair: 'What dpkg was interrupted in is finished: packages that are unpacked are configured.',
}

interface Input {
  readonly action: Action
  readonly names: readonly string[]
}
type Planned = Input & { readonly action: PlannedAction }

export const packageTools = operationTools({
  name: 'package',
  title: 'Change packages',
  description:
    'Installs, upgrades, removes, holds or releases packages by apt, dnf or apk, fetches the lists of packages again (refresh) or finishes what dpkg was interrupted in ' +
    '(repair), as root by the helper reeve-op. "names" are package names, also name=version; upgrade without names upgrades all. Shows first exactly what would change by having the package manager ' +
    'simulate it, and does only that. Prefer it to apt, dnf or apk in run_command.',
  effect: 'destructive',
  summary: 'Has the package manager do: {action}[ {names}]',
  main_argument: 'names',
  deadline_ms: DEADLINE_MS + 60_000,
  undoable: true,
  input: z.strictObject({
    action: z.enum(ACTIONS),
    names: z.array(Name).max(50).default([]),
  }),
  async preview(input, context) {
    const { machine, signal } = context
    const manager = checked(input, await managerOf(machine, signal))
    if (!isPlanned(input)) return remark(input)
    const plan = await doablePlan(machine, manager, input, signal)
    if (plan.packages.length === 0) throw new Error('The package manager would change nothing.')
    const size = manager === 'apt' ? await downloadSize(machine, input, signal) : null
    return planPreview(plan, size)
  },
  async run(input, context) {
    const { machine, signal } = context
    const manager = checked(input, await managerOf(machine, signal))
    if (!isPlanned(input)) {
      const done = await doOperation(context, operationOf(input), DEADLINE_MS)
      return { text: done.text, failed: !done.ok }
    }
    const plan = await planPackages(machine, manager, input, signal)
    mustBeAsShown(context, plan.hash, 'What the package manager would do')
    if (plan.packages.length === 0) return { text: 'The package manager would change nothing.' }
    const names = plan.packages.map(({ name }) => name)
    const before = await versionsOf(context, manager, names)
    const done = await doOperation(context, { op: 'package', ...input, plan: plan.hash }, DEADLINE_MS)
    const after = await afterwards(async (until) => ({
      versions: await versionsOf({ ...context, signal: until }, manager, names),
      hints: manager === 'apt' && done.ok ? await leftOver({ ...context, signal: until }) : '',
    }))
    // Without the versions there is nothing that it could go back from.
    if (after.found === null) return { text: `${done.text}\n${after.why}`, failed: !done.ok }
    const { versions, hints } = after.found
    return { text: `${done.text}${hints}`, failed: !done.ok, changes: changesOf(input, manager, before, versions) }
  },
  async verify(input, { machine, signal }) {
    const manager = await managerOf(machine, signal)
    if (!isPlanned(input)) throw new Error('Only its own exit code says whether it took.')
    // Whatever it had to do, it has nothing to do any more.
    const { packages } = await planPackages(machine, manager, input, signal)
    const audit =
      manager === 'apt' ? (await askProgram(machine, ['dpkg', '--audit'], 20_000, signal)).stdout.trim() : ''
    const left = packages.map(({ act, name }) => `${act} ${name}`).join(', ')
    return {
      ok: packages.length === 0 && audit === '',
      expected: 'nothing is left to be done',
      found: left === '' && audit === '' ? 'nothing is left' : `${left} ${audit}`.trim().slice(0, 1500),
    }
  },
})

function isPlanned(input: Input): input is Planned {
  return input.action === 'install' || input.action === 'upgrade' || input.action === 'remove'
}

function operationOf({ action, names }: Input): PackageOperation {
  if (action === 'hold' || action === 'unhold') return { op: 'package', action, names }
  return { op: 'package', action: action === 'repair' ? 'repair' : 'refresh' }
}

/** @throws {Error} with a sentence when action, names and system do not fit */
function checked({ action, names }: Input, manager: Manager): Manager {
  const wants = action === 'install' || action === 'remove' || action === 'hold' || action === 'unhold'
  if (wants && names.length === 0) throw new Error(`Give the names of the packages to ${action}.`)
  if ((action === 'refresh' || action === 'repair') && names.length > 0)
    throw new Error(`${action} is about all packages; leave out "names".`)
  if (action === 'repair' && manager !== 'apt') throw new Error('Only dpkg can be repaired like that.')
  if (manager === 'apk' && wants && action.endsWith('hold'))
    throw new Error('How apk holds packages back is not known here.')
  return manager
}

function remark({ action, names }: Input): ToolPreview {
  const text = REMARK[action as keyof typeof REMARK]
  return {
    state: `${action} ${names.join(' ')}`.slice(0, 500),
    parts: [{ kind: 'plan', title: text, text: names.join('\n') }],
  }
}

function planPreview({ packages, hash }: Plan, size: number | null): ToolPreview {
  const lineOf = ({ act, name, now, later, origin }: PlannedPackage) =>
    act === 'install'
      ? `+ ${name} ${now === '' ? '' : `${now} → `}${later}${origin === '' ? '' : ` (${origin})`}`
      : `- ${name} ${now}${act === 'purge' ? ' (and its configuration)' : ''}`
  const count = (act: (one: PlannedPackage) => boolean) => packages.filter(act).length
  const fresh = count(({ act, now }) => act === 'install' && now === '')
  const title =
    `${fresh} new, ${count(({ act }) => act === 'install') - fresh} changed, ${count(({ act }) => act !== 'install')} removed` +
    (size === null ? '' : `, ${(size / 1024 / 1024).toFixed(1)} MiB to fetch`)
  return { state: hash, parts: [{ kind: 'diff', title, text: packages.map(lineOf).join('\n') }] }
}

/** `name version` a line, `-` where it is not installed; sorted, each once. */
async function versionsOf({ machine, signal }: MachineContext, manager: Manager, names: readonly string[]) {
  const installed = new Map(
    (await installedPackages(machine, manager, signal)).map(({ name, version }) => [name, version]),
  )
  return [...new Set(names)]
    .sort()
    .map((name) => `${name} ${installed.get(name.split(':')[0]!) ?? '-'}\n`)
    .join('')
}

/** Only what is wholly new, or wholly gone, is taken back: apt goes to no older version without being forced. */
function changesOf({ action, names }: Planned, manager: Manager, before: string, after: string): ToolChange[] {
  if (before === after) return []
  const all = (text: string) => text.split('\n').every((line) => line === '' || line.endsWith(' -'))
  const final = manager !== 'apt' || !(all(before) || all(after))
  const what = `${action} ${names.join(' ')}`.trim().slice(0, 300)
  return [stateChange({ target: `package:${what}`, name: what }, before, after, { final })]
}

/** What a person should know after packages have changed. */
async function leftOver({ machine, signal }: MachineContext): Promise<string> {
  const reboot = (await machine.readFiles(['/run/reboot-required'], { max: 1 }, signal)).get('/run/reboot-required')
  const find = ['find', '/etc', '-xdev', '-name', '*.dpkg-dist', '-newermt', '-1 hour'] as const
  const end = await machine.run({ argv: find, deadline_ms: 10_000, max_bytes: 4000 }, signal)
  const kept = end.kind === 'ended' ? end.stdout.trim() : ''
  return [
    typeof reboot === 'object' ? '\nThe machine asks to be restarted.' : '',
    kept === '' ? '' : `\nConfiguration that was kept as it is, with the new one beside it:\n${kept}`,
  ].join('')
}

/** What takes a change of packages back, which must be as the change left them. */
export async function undoPackage(change: Change, context: MachineContext) {
  const { machine, signal } = context
  const manager = await managerOf(machine, signal)
  const before = stateBefore(change)
  const pairs = before.split('\n').flatMap((line) => (line === '' ? [] : [line.split(' ') as [string, string]]))
  const names = pairs.map(([name]) => name)
  const now = await versionsOf(context, manager, names)
  mustBeAsLeft(change, now)
  const fresh = pairs.every(([, version]) => version === '-')
  const action: PlannedAction = fresh ? 'remove' : 'install'
  const wanted = fresh ? names : pairs.map(([name, version]) => `${name}=${version}`)
  if (wanted.length > 50) throw new Error('They are more than 50 packages, which are not taken back at once.')
  // An older version may be nowhere any more: then this says so, and nothing is offered.
  const plan = await doablePlan(machine, manager, { action, names: wanted }, signal)
  return {
    what: `${action} ${wanted.join(' ')}`,
    state: plan.hash,
    operation: { op: 'package' as const, action, names: wanted, plan: plan.hash },
    parts: planPreview(plan, null).parts,
    change: stateChange({ target: change.target, name: change.name }, now, before),
    async check(until: AbortSignal) {
      const found = await versionsOf({ ...context, signal: until }, manager, names)
      return found === before ? null : found.trim().replaceAll('\n', ', ')
    },
  }
}

import type { PlannedAction } from '../../../server/modules/machine-operation.ts'
import type { Machine } from '../../../server/modules/machines.ts'
import { askProgram } from '../programs/ask-program.ts'
import { type Manager, type Plan, planPackages } from './ask-packages.ts'
import type { PlannedPackage } from './package-plan.ts'

const DEADLINE_MS = 20_000
/** Where dpkg notes, in files named by numbers, what it has begun. */
const DPKG_UPDATES = '/var/lib/dpkg/updates'
/** As in reeve-op, which has the last word. */
const NEEDED = /^(?:ssh|openssh|openssh-.*|dropbear.*|sudo|sudo-rs|doas|opendoas|reeve|systemd|dbus|dbus-.*)$/

/**
 * What the package manager would do, where reeve-op would let it: what is refused in any case is not put up for approval.
 * @throws {Error} with a sentence
 */
export async function doablePlan(
  machine: Machine,
  manager: Manager,
  wanted: { readonly action: PlannedAction; readonly names: readonly string[] },
  signal: AbortSignal,
): Promise<Plan> {
  if (manager === 'apt' && (await isInterrupted(machine, signal)))
    throw new Error(
      'dpkg was interrupted earlier, and does nothing else before that is finished: call package with action=repair.',
    )
  const plan = await planPackages(machine, manager, wanted, signal)
  const needed = await neededOf(machine, manager, plan.packages, signal)
  if (needed.length > 0)
    throw new Error(
      `This would remove ${needed.join(', ')}, which the machine needs. reeve-op never does that, whatever its list says.`,
    )
  return plan
}

async function isInterrupted(machine: Machine, signal: AbortSignal): Promise<boolean> {
  const entries = await machine.listDir(DPKG_UPDATES, { max: 1000 }, signal)
  return typeof entries !== 'string' && entries.some(({ name }) => /^\d+$/.test(name))
}

/** Those that would go and that the machine cannot be without. */
async function neededOf(machine: Machine, manager: Manager, packages: readonly PlannedPackage[], signal: AbortSignal) {
  const gone = packages.flatMap(({ act, name }) => (act === 'install' ? [] : [name.split(':')[0]!]))
  if (gone.length === 0) return []
  const { release } = await machine.facts(signal)
  const essential = manager === 'apt' ? await essentialOf(machine, gone, signal) : new Set<string>()
  return gone.filter((name) => NEEDED.test(name) || name.endsWith(`-${release}`) || essential.has(name))
}

/** Those without which the distribution does not work. */
async function essentialOf(machine: Machine, names: readonly string[], signal: AbortSignal): Promise<Set<string>> {
  const format = '${Package} ${Essential} ${Protected}\n'
  const { stdout } = await askProgram(machine, ['dpkg-query', '-W', '-f', format, '--', ...names], DEADLINE_MS, signal)
  return new Set(stdout.split('\n').flatMap((line) => (/ yes\b/.test(line) ? [line.split(' ', 1)[0]!] : [])))
}

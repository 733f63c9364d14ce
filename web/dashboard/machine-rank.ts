import type { HostSummary } from '../../contract/host-figures.ts'

/** Shares from which a figure is a problem; load is compared with the processors. */
const FULL = 0.9
const BUSY = 0.9
const LOADED = 1.5

export type MachineProblem =
  | 'unreachable'
  | 'key_changed'
  | 'sign_in_refused'
  | 'key_unknown'
  | 'disk'
  | 'services'
  | 'memory'
  | 'load'
  | 'restart'

/** How much each weighs: what cannot be looked at at all comes first. */
const WEIGHT: Readonly<Record<MachineProblem, number>> = {
  unreachable: 100_000,
  key_changed: 110_000,
  sign_in_refused: 90_000,
  key_unknown: 500,
  disk: 10_000,
  services: 8000,
  memory: 4000,
  load: 3000,
  restart: 100,
}

/** What is wrong with a machine, the worst first; nothing where it is disabled. */
export function problemsOf({ disabled, state, figures }: HostSummary): readonly MachineProblem[] {
  if (disabled) return []
  if (state !== null && state !== 'ok') return [state]
  if (figures === null) return []
  const { disk, memory, load, cores, failed_services, restart_pending } = figures
  const found: (MachineProblem | false)[] = [
    disk !== null && disk.used / disk.total >= FULL && 'disk',
    (failed_services ?? 0) > 0 && 'services',
    memory !== null && memory.used / memory.total >= BUSY && 'memory',
    load !== null && cores !== null && load / cores >= LOADED && 'load',
    restart_pending && 'restart',
  ]
  return found.filter((problem) => problem !== false)
}

/** The worst first; those that are well by name, and at the end those that are disabled. */
export function worstFirst(machines: readonly HostSummary[]): readonly HostSummary[] {
  const weight = (machine: HostSummary): number =>
    machine.disabled ? -1 : problemsOf(machine).reduce((sum, problem) => sum + WEIGHT[problem], 0)
  return machines.toSorted(
    (a, b) => weight(b) - weight(a) || a.name.localeCompare(b.name, undefined, { numeric: true }),
  )
}

import type { ClusterReport, ClusterRun } from './run-cluster.ts'

/** How many violations of one invariant are shown; all of them are in the history. */
const SHOWN = 5
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`

/** What a run of the cluster comes to, for people. */
export function reportLines(run: Pick<ClusterRun, 'seed' | 'processes'>, report: ClusterReport): string[] {
  const { faults, requests, longest, violations, folder } = report
  const kinds = Map.groupBy(faults, ({ fault }) => fault)
  const broken = Map.groupBy(violations, ({ invariant }) => invariant)
  return [
    '',
    `Seed ${run.seed}: ${faults.length} faults at ${run.processes} replicas, ${requests} requests, ${report.messages} messages, ${report.effects} calls, ${report.events} events read`,
    `Faults: ${[...kinds].map(([kind, { length }]) => `${kind} ${length}`).join(', ')}`,
    'Longest waits at replicas that nothing had hit:',
    ...longest
      .slice(0, 12)
      .map(
        ({ kind, requests: count, ms, at, during }) =>
          `  ${kind}: ${seconds(ms)} of ${count}, at ${seconds(at)} (${during})`,
      ),
    violations.length === 0 ? 'Every invariant held.' : `${violations.length} violations:`,
    ...[...broken].flatMap(([invariant, all]) => [
      `  ${invariant}: ${all.length}`,
      ...all.slice(0, SHOWN).map(({ at, what }) => `    at ${seconds(at)}: ${what}`),
    ]),
    ...(folder === null ? [] : [`History and logs: ${folder}`]),
  ]
}

import { expect, test } from 'vitest'
import { reportLines } from './cluster/report-lines.ts'
import { runCluster } from './cluster/run-cluster.ts'
import { databases } from './stage/servers/postgres.ts'

/** Another one for a search: what a run finds is in its output, with the seed. */
const SEED = process.env['REEVE_TEST_SEED'] ?? 'seventeen'

// The short form of `npm run cluster`: real processes, a balancer, traffic, faults, and what must hold whatever happens.
test.runIf(databases.some(({ name }) => name === 'postgres'))(
  `three replicas under faults lose nothing, do nothing twice, and nobody waits for the dead (seed ${SEED})`,
  { timeout: 240_000 },
  async () => {
    const run = { seed: SEED, processes: 3, faults: 20, lasts: 30_000, longest: 6000, users: 5, keep: false }
    const report = await runCluster({ ...run, say: () => undefined })
    console.log(reportLines(run, report).join('\n'))
    expect(report.violations).toEqual([])
    // It did something: a run without traffic proves nothing.
    expect(report.faults.length).toBeGreaterThan(8)
    expect(Math.min(report.messages, report.effects, report.events)).toBeGreaterThan(10)
  },
)

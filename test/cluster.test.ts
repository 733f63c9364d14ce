import { expect, test } from 'vitest'
import { reportLines } from './cluster/report-lines.ts'
import { runCluster } from './cluster/run-cluster.ts'
import { databases } from './stage/servers/postgres.ts'

/** Another one for a search: what a run finds is in its output, with the seed. */
const SEED = process.env['REEVE_TEST_SEED'] ?? 'eighteen'

// The short form of `npm run cluster`: real processes, a balancer, traffic, faults, and what must hold whatever happens.
test.runIf(databases.some(({ name }) => name === 'postgres'))(
  `three replicas under faults lose nothing, do nothing twice, and nobody waits for the dead (seed ${SEED})`,
  { timeout: 240_000 },
  async () => {
    // As many faults however crowded the machine is; the time is only there so that it ends. A freeze may be longer than
    // others may wait for it.
    const run = {
      seed: SEED,
      processes: 3,
      faults: 12,
      lasts: 120_000,
      pace: 700,
      longest: 9000,
      users: 5,
      keep: false,
    }
    const report = await runCluster({ ...run, say: () => undefined })
    console.log(reportLines(run, report).join('\n'))
    expect(report.violations).toEqual([])
    // It did something: a run without traffic proves nothing.
    expect(report.faults.length).toBe(run.faults)
    expect(Math.min(report.messages, report.effects, report.events)).toBeGreaterThan(10)
  },
)

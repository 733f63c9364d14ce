/** `npm run cluster -- --faults 1000 --minutes 90 --pace 1 --processes 3 --seed …`: see runCluster. Fails when an invariant broke. */
import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { reportLines } from './report-lines.ts'
import { runCluster } from './run-cluster.ts'

const { values } = parseArgs({
  options: {
    faults: { type: 'string', default: '200' },
    minutes: { type: 'string', default: '20' },
    pace: { type: 'string', default: '1' },
    processes: { type: 'string', default: '3' },
    users: { type: 'string', default: '6' },
    seed: { type: 'string', default: randomBytes(4).toString('hex') },
    keep: { type: 'boolean', default: false },
  },
})

/** @throws when it is no number from 1 to `most`. */
function bounded(name: 'faults' | 'minutes' | 'pace' | 'processes' | 'users', most: number): number {
  const value = Number(values[name])
  if (!(value > 0 && value <= most)) throw new Error(`--${name} must be a number up to ${most}.`)
  return value
}

const began = performance.now()
const say = (line: string): void => {
  const seconds = Math.round((performance.now() - began) / 1000)
  process.stdout.write(`${String(seconds).padStart(5)} s  ${line}\n`)
}
const run = {
  seed: values.seed,
  processes: bounded('processes', 3),
  faults: bounded('faults', 5000),
  lasts: bounded('minutes', 120) * 60_000,
  pace: bounded('pace', 60) * 1000,
  longest: 45_000,
  users: bounded('users', 20),
  keep: values.keep,
  say,
}
say(`seed ${run.seed}`)
const report = await runCluster(run)
process.stdout.write(`${reportLines(run, report).join('\n')}\n`)
process.exitCode = report.violations.length === 0 ? 0 : 1

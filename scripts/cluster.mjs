/**
 * `npm run cluster [-- --faults 200 --minutes 10 --processes 3 --users 6 --seed <text> --keep]`: real replicas on one
 * PostgreSQL and one store on this machine, under traffic and faults; fails when something was lost, ran twice, or
 * waited for the dead. Ends by itself and cleans up; what broke an invariant keeps its history.
 */
import { join } from 'node:path'
import { ensureBuilt } from './build.mjs'
import { ensureInstalled } from './install.mjs'
import { launch } from './report.mjs'
import { ROOT, run } from './run.mjs'
import { chooseRuntime } from './runtime.mjs'

await launch(async (args) => {
  const runtime = await chooseRuntime()
  await ensureInstalled(runtime, 'full')
  await ensureBuilt(runtime)
  const main = join(ROOT, 'test/cluster/main.ts')
  return run(runtime.node, ['--disable-warning=ExperimentalWarning', main, ...args], { env: runtime.env })
})

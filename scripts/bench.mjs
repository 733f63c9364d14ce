/**
 * `npm run bench [name…]`: runs the benchmarks in test/bench one at a time, so that they don't disturb each other.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ensureBuilt } from './build.mjs'
import { ensureInstalled } from './install.mjs'
import { launch, Refusal, say } from './report.mjs'
import { ROOT, run } from './run.mjs'
import { chooseRuntime } from './runtime.mjs'

function measurements(names) {
  const folder = join(ROOT, 'test/bench')
  const all = readdirSync(folder).filter((file) => file.endsWith('.ts'))
  const chosen = names.length === 0 ? all : all.filter((file) => names.includes(file.replace(/\.ts$/, '')))
  if (chosen.length === 0)
    throw new Refusal(`no such measurement; there are: ${all.map((f) => f.slice(0, -3)).join(', ') || 'none'}.`)
  return chosen.map((file) => join(folder, file))
}

await launch(async (names) => {
  const files = measurements(names)
  const runtime = await chooseRuntime()
  await ensureInstalled(runtime, 'full')
  await ensureBuilt(runtime)
  let failed = 0
  for (const file of files) {
    say(`— ${file.slice(ROOT.length + 1)}`)
    if ((await run(runtime.node, ['--disable-warning=ExperimentalWarning', file], { env: runtime.env })) !== 0) failed++
  }
  return failed === 0 ? 0 : 1
})

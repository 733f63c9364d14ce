/**
 * `npm run servers [-- --keep FOLDER --record NAME …]`: MCP servers of the npm registry as modules of a real service: fetched,
 * packed, installed, isolated, one call each. `--keep`: where what is fetched stays for the next run; `--record`: writes the
 * table in `docs/servers.md`; names: only those. Needs the registry; ends by itself and cleans up.
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
  const main = join(ROOT, 'test/servers/main.ts')
  return run(runtime.node, ['--disable-warning=ExperimentalWarning', main, ...args], { env: runtime.env })
})

/**
 * `npm run check`: types, lint, format, unused code, sizes of the pages, architecture. `-- --fix` formats and fixes what tools can fix.
 */
import { join, resolve } from 'node:path'
import process from 'node:process'
import { ensureBuilt, pagesOverBudget } from './build.mjs'
import { ensureInstalled } from './install.mjs'
import { launch, say } from './report.mjs'
import { collect, ROOT } from './run.mjs'
import { chooseRuntime } from './runtime.mjs'

const PARALLEL = 2

/** One checker: several look at much of the program each for itself, which takes three times the work. */
const types = (project) => ['typescript/bin/tsc', '--checkers', '1', '-p', project]

/** Name → program (a path under node_modules) and its arguments; the longest first. */
const CHECKS = {
  'types of the server': types('tsconfig.json'),
  'types of the browser stories': types('test/e2e/tsconfig.json'),
  'types of the pages': types('web/tsconfig.json'),
  lint: ['oxlint/bin/oxlint', '--type-aware', '--deny-warnings'],
  'unused code': ['knip/bin/knip.js', '--no-progress'],
  format: ['oxfmt/bin/oxfmt', '--check'],
}
const ARCHITECTURE = ['vitest/vitest.mjs', 'run', '--project', 'architecture', '--reporter', 'dot']
const FIXES = [
  ['oxlint/bin/oxlint', '--type-aware', '--fix'],
  ['oxfmt/bin/oxfmt', '.'],
]

function runTool(runtime, [program, ...args]) {
  return collect(runtime.node, [join(ROOT, 'node_modules', program), ...args], { env: runtime.env })
}

/** Runs every check on an installation with a build, prints the output of those that fail, and resolves with their names. */
export async function check(runtime, checks = CHECKS) {
  const queue = Object.entries(checks)
  const failed = []
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [name, command] = next
      const started = Date.now()
      const { code, output } = await runTool(runtime, command)
      if (code !== 0) failed.push(name)
      say(`${code === 0 ? 'ok    ' : 'FAILED'} ${name} (${((Date.now() - started) / 1000).toFixed(1)} s)`)
      if (code !== 0) say(output.trimEnd())
    }
  }
  await Promise.all(Array.from({ length: PARALLEL }, work))
  const overruns = pagesOverBudget()
  say(`${overruns.length === 0 ? 'ok    ' : 'FAILED'} sizes of the pages`)
  for (const line of overruns) say(line)
  return overruns.length === 0 ? failed : [...failed, 'sizes of the pages']
}

if (resolve(process.argv[1] ?? '') === join(ROOT, 'scripts/check.mjs')) {
  await launch(async (args) => {
    const runtime = await chooseRuntime()
    await ensureInstalled(runtime, 'full')
    await ensureBuilt(runtime)
    if (args.includes('--fix')) for (const fix of FIXES) await runTool(runtime, fix)
    const failed = await check(runtime, { ...CHECKS, architecture: ARCHITECTURE })
    return failed.length === 0 ? 0 : 1
  })
}

/**
 * `npm run bench [name…] [-- --record]`: runs the benchmarks in test/bench one at a time, so that they don't disturb
 * each other, and prints their figures beside the aims and the last recorded ones. `--record` keeps them in
 * docs/performance.md.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { record, readFigures, tableLines } from './bench-table.mjs'
import { boundMemory } from './bound-memory.mjs'
import { ensureBuilt } from './build.mjs'
import { ensureInstalled } from './install.mjs'
import { launch, Refusal, say } from './report.mjs'
import { collect, ROOT, run } from './run.mjs'
import { chooseRuntime } from './runtime.mjs'

const DOCUMENT = join(ROOT, 'docs/performance.md')
/** What a file has that is a benchmark rather than a part of one. */
const MEASURES = /\breport\(/

function measurements(names) {
  const folder = join(ROOT, 'test/bench')
  const all = readdirSync(folder).filter((file) => MEASURES.test(readFileSync(join(folder, file), 'utf8')))
  const chosen = names.length === 0 ? all : all.filter((file) => names.includes(file.replace(/\.ts$/, '')))
  if (chosen.length === 0)
    throw new Refusal(`no such measurement; there are: ${all.map((f) => f.slice(0, -3)).join(', ') || 'none'}.`)
  return chosen.map((file) => join(folder, file))
}

async function recordFigures(figures) {
  const { code, output } = await collect('git', ['describe', '--always', '--dirty', '--exclude=*'])
  const commit = code === 0 ? output.trim() : 'unknown'
  record(figures, DOCUMENT, { commit, day: new Date().toISOString().slice(0, 10) })
  say(`recorded in ${DOCUMENT.slice(ROOT.length + 1)} as of ${commit}`)
}

await launch(async (args) => {
  const names = args.filter((each) => each !== '--record')
  const files = measurements(names)
  const runtime = await chooseRuntime()
  await ensureInstalled(runtime, 'full')
  await ensureBuilt(runtime)
  const folder = mkdtempSync(join(tmpdir(), 'reeve-figures-'))
  const kept = join(folder, 'figures')
  // As the service is started, for those that have it in their own process.
  const bounded = boundMemory(runtime.env)
  const env = { ...bounded.env, REEVE_BENCH_FIGURES: kept }
  const flags = [...bounded.flags, '--disable-warning=ExperimentalWarning']
  try {
    let failed = 0
    for (const file of files) {
      say(`— ${file.slice(ROOT.length + 1)}`)
      if ((await run(runtime.node, [...flags, file], { env })) !== 0) failed++
    }
    const figures = readFigures(kept)
    if (figures.length > 0) process.stdout.write(`\n${tableLines(figures, DOCUMENT).join('\n')}\n`)
    if (args.includes('--record')) await recordFigures(figures)
    return failed === 0 ? 0 : 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

/**
 * `npm test [-- file…]`: gets everything that is missing, checks the sources, runs the tests, and ends with the line
 * `N passed, N failed` on stdout. With arguments only the tests that they name run, without the checks.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { ensureBuilt } from './build.mjs'
import { check } from './check.mjs'
import { ensureInstalled } from './install.mjs'
import { launch, say } from './report.mjs'
import { ROOT, run } from './run.mjs'
import { chooseRuntime } from './runtime.mjs'

/** Counts of vitest's JSON report; a file that cannot even be loaded is one failure. */
function countResults(path) {
  let report
  try {
    report = JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return { passed: 0, failed: 0, skipped: 0 }
  }
  const broken = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  )
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + broken.length,
    skipped: report.numPendingTests + report.numTodoTests,
  }
}

async function runTests(runtime, args) {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-test-'))
  try {
    const report = join(folder, 'report.json')
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
    const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs')
    const code = await run(runtime.node, [vitest, 'run', ...reporters, ...args], { env: runtime.env })
    const counts = countResults(report)
    // Vitest also fails for what belongs to no test: an unhandled error, a set-up that broke, no test found.
    return code !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

await launch(async (args) => {
  const runtime = await chooseRuntime()
  await ensureInstalled(runtime, 'full')
  await ensureBuilt(runtime)
  // Architecture is a test as well: it runs with the others.
  const failedChecks = args.length === 0 ? await check(runtime) : []
  const { passed, failed, skipped } = await runTests(runtime, args)
  if (failedChecks.length > 0) say(`Counted as failed: ${failedChecks.join(', ')}.`)
  const failures = failed + failedChecks.length
  process.stdout.write(`${passed} passed, ${failures} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`)
  return failures === 0 && passed > 0 ? 0 : 1
})

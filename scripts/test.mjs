/**
 * `npm test [-- file…]`: installs and builds whatever is missing, checks the sources, runs the tests, and ends with the
 * line `N passed, N failed` on stdout. With arguments, only the named tests run, without the checks.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { ensureBuilt } from './build.mjs'
import { check } from './check.mjs'
import { ensureInstalled } from './install.mjs'
import { launch, say } from './report.mjs'
import { ROOT, run } from './run.mjs'
import { chooseRuntime } from './runtime.mjs'

/** Counts of vitest's JSON report; a file that cannot be loaded counts as one failure. */
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

const ENOUGH_MEMORY = 8 * 1024 ** 3

/**
 * How to run a command with `folder` in memory, where that can be had: what tests write is then not flushed to a disk
 * thousands of times. It is a mount of the command's own, which ends with its last process.
 */
function inMemory(folder) {
  const mount = ['unshare', '--mount', 'sh', '-c', 'mount -t tmpfs -o mode=1777 tests "$0" && exec "$@"', folder]
  if (freemem() < ENOUGH_MEMORY) return []
  return spawnSync(mount[0], [...mount.slice(1), 'true'], { stdio: 'ignore' }).status === 0 ? mount : []
}

async function runTests(runtime, args) {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-test-'))
  // A short path: sockets lie in it. Other accounts come by, too.
  const written = mkdtempSync(join(tmpdir(), 'rt-'))
  chmodSync(written, 0o1777)
  try {
    const report = join(folder, 'report.json')
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
    const vitest = [runtime.node, join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', ...reporters, ...args]
    const [command, ...words] = [...inMemory(written), ...vitest]
    const env = { ...runtime.env, TMPDIR: written, NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/compile') }
    const code = await run(command, words, { env })
    const counts = countResults(report)
    // Vitest also fails for reasons outside any test: an unhandled error, a broken setup, no test found.
    return code !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts
  } finally {
    for (const path of [folder, written]) rmSync(path, { recursive: true, force: true })
  }
}

await launch(async (args) => {
  const runtime = await chooseRuntime()
  await ensureInstalled(runtime, 'full')
  await ensureBuilt(runtime)
  // The architecture check is also a test and runs with the others.
  const failedChecks = args.length === 0 ? await check(runtime) : []
  const { passed, failed, skipped } = await runTests(runtime, args)
  if (failedChecks.length > 0) say(`Counted as failed: ${failedChecks.join(', ')}.`)
  const failures = failed + failedChecks.length
  process.stdout.write(`${passed} passed, ${failures} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`)
  return failures === 0 && passed > 0 ? 0 : 1
})

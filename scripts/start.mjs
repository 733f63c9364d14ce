/**
 * `npm start`: gets everything that is missing, then runs the server until it ends.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { ensureBuilt } from './build.mjs'
import { ensureInstalled } from './install.mjs'
import { launch } from './report.mjs'
import { ROOT } from './run.mjs'
import { chooseRuntime } from './runtime.mjs'

// One Ctrl+C arrives twice, from the terminal and from npm; a second signal would tell the server to hurry.
const SAME_SIGNAL_MS = 500
const PARENT_CHECK_MS = 500
const PARENT = process.ppid
const SIGNAL_NUMBERS = { SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGABRT: 6, SIGKILL: 9, SIGSEGV: 11, SIGTERM: 15 }

/** Runs the server; resolves with its exit code, or 128 + the number of the signal that ended it. */
function serve(runtime, args) {
  return new Promise((fulfil, reject) => {
    const envFile = join(ROOT, '.env')
    const flags = [
      // Node would remark on a file that is not there.
      ...(existsSync(envFile) ? [`--env-file=${envFile}`] : []),
      '--disable-warning=ExperimentalWarning',
      `--import=${new URL('./follow-launcher.mjs', import.meta.url).href}`,
    ]
    const child = spawn(runtime.node, [...flags, join(ROOT, 'server/main.ts'), ...args], {
      cwd: ROOT,
      env: { NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/compile'), ...runtime.env },
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      // Its own group, so that the terminal's Ctrl+C comes through us alone.
      detached: true,
    })
    let last = { signal: '', at: 0 }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
      process.on(signal, () => {
        if (last.signal === signal && Date.now() - last.at < SAME_SIGNAL_MS) return
        last = { signal, at: Date.now() }
        child.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal)
      })
    }
    // A killed npm tells its children nothing. Without npm we may well be meant to outlive who started us.
    const orphaned = () => process.ppid !== PARENT && child.kill('SIGTERM')
    if (process.env.npm_lifecycle_event) setInterval(orphaned, PARENT_CHECK_MS).unref()
    child.once('error', reject)
    child.once('exit', (code, signal) => fulfil(code ?? 128 + (SIGNAL_NUMBERS[signal] ?? 0)))
  })
}

await launch(async (args) => {
  const runtime = await chooseRuntime()
  await ensureInstalled(runtime, 'production')
  await ensureBuilt(runtime)
  return serve(runtime, args)
})

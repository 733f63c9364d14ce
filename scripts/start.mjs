/**
 * `npm start`: installs and builds whatever is missing, then runs the server until it ends.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { ensureBuilt } from './build.mjs'
import { ensureInstalled } from './install.mjs'
import { boundMemory } from './bound-memory.mjs'
import { launch, Refusal } from './report.mjs'
import { exitCode, ROOT } from './run.mjs'
import { chooseRuntime } from './runtime.mjs'

const PARENT_CHECK_MS = 500
const PARENT = process.ppid

/** Runs the server; resolves with its exit code, or 128 + the number of the signal that ended it. */
function serve(runtime) {
  return new Promise((fulfil, reject) => {
    const envFile = join(ROOT, '.env')
    const bounded = boundMemory(runtime.env)
    const flags = [
      ...bounded.flags,
      // Node would warn about a missing file.
      ...(existsSync(envFile) ? [`--env-file=${envFile}`] : []),
      '--disable-warning=ExperimentalWarning',
      ...['compile-cache', 'follow-launcher'].map(
        (name) => `--import=${new URL(`./${name}.mjs`, import.meta.url).href}`,
      ),
    ]
    const child = spawn(runtime.node, [...flags, join(ROOT, 'server/main.ts')], {
      cwd: ROOT,
      env: bounded.env,
      stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
      // A process group of its own, so that the terminal's Ctrl+C reaches it only through us.
      detached: true,
    })
    // Passed on however often one arrives: the server treats those within a second as one request.
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
      process.on(signal, () => child.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal))
    // A killed npm does not tell its children. Without npm we may well be meant to outlive our parent.
    const orphaned = () => process.ppid !== PARENT && child.kill('SIGTERM')
    if (process.env.npm_lifecycle_event) setInterval(orphaned, PARENT_CHECK_MS).unref()
    child.once('error', reject)
    child.once('exit', (code, signal) => fulfil(exitCode(code, signal)))
  })
}

await launch(async (args) => {
  if (args.length > 0)
    throw new Refusal(`start takes no arguments (${args[0]}): settings come from the environment and from .env.`)
  const runtime = await chooseRuntime()
  await ensureInstalled(runtime, 'production')
  await ensureBuilt(runtime)
  return serve(runtime)
})

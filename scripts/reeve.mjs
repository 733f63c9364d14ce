#!/usr/bin/env node
/**
 * `reeve <command>`: installs and builds whatever is missing, then runs the command line (server/cli) or the service.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { ensureInstalled } from './install.mjs'
import { launch } from './report.mjs'
import { ROOT } from './run.mjs'
import { chooseRuntime } from './runtime.mjs'

/** Resolves with the exit code, or 1 when a signal ended the command. */
function runCommand(runtime, args) {
  return new Promise((fulfil, reject) => {
    const envFile = join(ROOT, '.env')
    const flags = [
      ...(existsSync(envFile) ? [`--env-file=${envFile}`] : []),
      '--disable-warning=ExperimentalWarning',
      `--import=${new URL('./compile-cache.mjs', import.meta.url).href}`,
    ]
    const child = spawn(runtime.node, [...flags, join(ROOT, 'server/cli/main.ts'), ...args], {
      env: runtime.env,
      stdio: 'inherit',
    })
    // The terminal's Ctrl+C also reaches the command, which cleans up and exits by itself.
    process.on('SIGINT', () => undefined)
    process.on('SIGTERM', () => child.kill('SIGTERM'))
    child.once('error', reject)
    child.once('exit', (code) => fulfil(code ?? 1))
  })
}

if (process.argv[2] === 'start' && !['--help', '-h'].includes(process.argv[3])) {
  process.argv.splice(2, 1)
  await import('./start.mjs')
} else {
  await launch(async (args) => {
    const runtime = await chooseRuntime()
    await ensureInstalled(runtime, 'production')
    return runCommand(runtime, args)
  })
}

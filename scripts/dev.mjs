/**
 * `npm run dev`: the server restarts and the pages are built again whenever a source changes.
 */
import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { ensureBuilt } from './build.mjs'
import { ensureInstalled } from './install.mjs'
import { launch, say } from './report.mjs'
import { ROOT } from './run.mjs'
import { chooseRuntime } from './runtime.mjs'

await launch(async (args) => {
  const runtime = await chooseRuntime()
  await ensureInstalled(runtime, 'full')
  await ensureBuilt(runtime)
  // What follows is a development build: the next start makes a real one.
  rmSync(join(ROOT, 'dist/web/.stamp'), { force: true })
  const vite = join(ROOT, 'node_modules/vite/bin/vite.js')
  const commands = [
    [vite, 'build', '--watch', '--mode', 'development', '--outDir', join(ROOT, 'dist/web'), '--emptyOutDir'],
    ['--watch', '--env-file-if-exists=.env', '--disable-warning=ExperimentalWarning', 'server/main.ts', ...args],
  ]
  say('Watching server/, contract/ and web/. Ctrl+C ends.')
  const children = commands.map((command) =>
    spawn(runtime.node, command, { cwd: ROOT, env: runtime.env, stdio: 'inherit' }),
  )
  process.on('SIGTERM', () => children.forEach((child) => child.kill('SIGTERM')))
  // The terminal tells the children itself; we only have to outlive them.
  process.on('SIGINT', () => {})
  const codes = await Promise.all(
    children.map((child) => new Promise((fulfil) => child.once('exit', (code) => fulfil(code ?? 0)))),
  )
  return Math.max(...codes)
})

/**
 * `npm run dev`: restarts the server and rebuilds the pages whenever a source changes.
 */
import { spawn } from 'node:child_process'
import { existsSync, rmSync, watch } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { ensureBuilt } from './build.mjs'
import { ensureInstalled } from './install.mjs'
import { launch, say } from './report.mjs'
import { ROOT } from './run.mjs'
import { chooseRuntime } from './runtime.mjs'

const SERVER_SOURCES = ['server', 'contract', 'builtin']
/** Delay in milliseconds, because editors write a file in several steps. */
const SETTLE_MS = 200

/** Runs one of our programs, which ends when this process does, however that happens. */
function follow(runtime, args) {
  return spawn(runtime.node, [`--import=${new URL('./follow-launcher.mjs', import.meta.url).href}`, ...args], {
    cwd: ROOT,
    env: { NODE_ENV: 'development', ...runtime.env },
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    // A process group of its own, so that the terminal's Ctrl+C reaches it only through us.
    detached: true,
  })
}

await launch(async (args) => {
  const runtime = await chooseRuntime()
  await ensureInstalled(runtime, 'full')
  await ensureBuilt(runtime)
  // What follows is a development build; the next start makes a real one.
  rmSync(join(ROOT, 'dist/web/.stamp'), { force: true })
  const vite = join(ROOT, 'node_modules/vite/bin/vite.js')
  const pages = follow(runtime, [vite, 'build', '--watch', '--mode', 'development', '--outDir', join(ROOT, 'dist/web')])

  const envFile = join(ROOT, '.env')
  const flags = [...(existsSync(envFile) ? [`--env-file=${envFile}`] : []), '--disable-warning=ExperimentalWarning']
  let ended = false
  let server = null
  const serve = () => {
    if (ended) return
    server = follow(runtime, [...flags, 'server/main.ts', ...args])
  }
  let settling = null
  for (const folder of SERVER_SOURCES) {
    watch(join(ROOT, folder), { recursive: true }, () => {
      clearTimeout(settling)
      settling = setTimeout(() => {
        say('Sources changed: starting again.')
        if (server.exitCode !== null) return serve()
        server.once('exit', serve)
        server.kill('SIGTERM')
      }, SETTLE_MS)
    })
  }
  serve()
  say('Watching server/, contract/, builtin/ and web/. Ctrl+C ends.')
  await new Promise((fulfil) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, fulfil)
  })
  ended = true
  const running = [pages, server].filter((child) => child.exitCode === null)
  for (const child of running) child.kill('SIGTERM')
  await Promise.all(running.map((child) => new Promise((fulfil) => child.once('exit', fulfil))))
  process.exit(0)
})

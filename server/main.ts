import { once } from 'node:events'
import { startApp } from './app/app.ts'
import { readConfig } from './app/config.ts'
import { failureSentence } from './app/failure-sentence.ts'
import { openLog, type Log } from './kernel/log.ts'
import { OperatorProblem } from './kernel/operator-problem.ts'

/**
 * A single request to stop may arrive several times: from the terminal and from npm, from the control group and from
 * the launcher. A repeated request after this many milliseconds means that the user does not want to wait.
 */
const SAME_WISH_MS = 1000
/** Time limit for everything to stop, in milliseconds; anything still hanging then is not worth waiting for. */
const STOP_LIMIT_MS = 30_000

/** How long the process lingers once all is closed, in milliseconds: what still waits then waits for nothing. */
const LINGER_MS = 1000

/** Aborted by the first SIGINT or SIGTERM. */
function openStop(): AbortSignal {
  const stop = new AbortController()
  let first = 0
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (stop.signal.aborted && performance.now() - first > SAME_WISH_MS) process.exit(1)
      if (stop.signal.aborted) return
      first = performance.now()
      stop.abort(signal)
    })
  }
  return stop.signal
}

/** The process: read the settings, start, wait for a signal, stop. */
async function main(): Promise<Log> {
  const stop = openStop()
  if (process.argv.length > 2)
    throw new OperatorProblem(
      `start takes no arguments (${process.argv[2]}): settings come from the environment and from .env.`,
    )
  const config = readConfig(process.env)
  const log = openLog(config.logLevel)
  await using app = await startApp(config, { log })
  log.info({ url: app.url, started_in_ms: Math.round(performance.now()) }, 'listening')
  if (app.setupLink !== null) log.info({ setup_link: app.setupLink }, 'open this link once to create the administrator')
  if (!stop.aborted) await once(stop, 'abort')
  log.info({ signal: stop.reason as string }, 'stopping')
  await app.drain()
  setTimeout(() => process.exit(1), STOP_LIMIT_MS).unref()
  return log
}

try {
  const log = await main()
  setTimeout(() => {
    log.debug({ open: process.getActiveResourcesInfo() }, 'ended although something was still waited for')
    process.exit()
  }, LINGER_MS).unref()
} catch (error) {
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
  process.stderr.write(`reeve: ${failureSentence(error) ?? stack}\n`)
  process.exitCode = 1
}

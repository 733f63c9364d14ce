import { once } from 'node:events'
import { startApp } from './app.ts'
import { CertificateError } from './certificates/certificate-error.ts'
import { ConfigError, readConfig } from './config.ts'
import { NewerDatabaseError } from './db/migrate.ts'
import { FolderInUse } from './db/folder-lock.ts'
import { StoreUnreachable } from './files/s3/s3-failure.ts'
import { openLog } from './kernel/log.ts'

/** The process: read the settings, start, wait for a signal, stop. */
async function main(): Promise<void> {
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort(signal))
  const config = readConfig(process.env)
  const log = openLog(config.logLevel)
  await using app = await startApp(config, { log })
  log.info({ url: app.url, started_in_ms: Math.round(performance.now()) }, 'listening')
  if (app.setupLink !== null) log.info({ setup_link: app.setupLink }, 'open this link once to create the administrator')
  if (!stop.signal.aborted) await once(stop.signal, 'abort')
  log.info({ signal: stop.signal.reason as string }, 'stopping')
  // Whatever still hangs after every part was told to stop is not worth waiting for.
  setTimeout(() => process.exit(1), 30_000).unref()
}

try {
  await main()
} catch (error) {
  const expected = [CertificateError, ConfigError, NewerDatabaseError, FolderInUse, StoreUnreachable].some(
    (kind) => error instanceof kind,
  )
  process.stderr.write(
    `${expected ? (error as Error).message : error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  )
  process.exitCode = 1
}

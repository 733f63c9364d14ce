import manifest from '../../package.json' with { type: 'json' }
import { Database } from '../db/database.ts'
import { openDataFolder } from '../db/data-folder.ts'
import { lockFolder } from '../db/folder-lock.ts'
import { Processes } from '../db/processes.ts'
import type { Log } from '../kernel/log.ts'
import { finishSwap } from '../operation/backup/folder-swap.ts'
import { removeLeftovers } from '../operation/leftovers.ts'
import type { Metrics } from '../operation/metrics/metrics.ts'
import type { Config } from './config.ts'

interface About {
  /** Closes what is opened here. */
  readonly opened: AsyncDisposableStack
  readonly log: Log
  readonly metrics: Metrics
  readonly observe: ((sql: string) => void) | undefined
}

/**
 * The data folder, with what a killed process left in it settled, the database, migrated, and this process among those
 * that work on it.
 */
export async function openDatabase(
  config: Config,
  { opened, log, metrics, observe }: About,
): Promise<{ db: Database; processes: Processes }> {
  openDataFolder(config.dataFolder)
  if (config.databaseUrl === null) opened.use(lockFolder(config.dataFolder))
  // A restore that was killed at its very end is completed before anything is opened.
  await finishSwap(config.dataFolder)
  const left = await removeLeftovers(config.dataFolder, { alone: config.databaseUrl === null })
  if (left.length > 0) log.info({ removed: left }, 'leftovers of something that was killed')
  const db = opened.use(
    await Database.open({
      url: config.databaseUrl,
      listenUrl: config.databaseListenUrl,
      pool: config.databasePool,
      folder: config.dataFolder,
      onError: (error) => log.error({ err: error }, 'database connection'),
      observe,
      onStatement: (ms) => metrics.statement(ms),
    }),
  )
  if (db.opened.applied.length > 0) log.info({ applied: db.opened.applied, backup: db.opened.backup }, 'migrated')
  if (db.opened.contract.length > 0)
    log.info({ pending: db.opened.contract }, 'left for when no older process runs: reeve migrate --contract')
  const processes = await Processes.open({
    db,
    version: manifest.version,
    folder: config.dataFolder,
    onError: (error) => log.error({ err: error }, 'no sign of life'),
  })
  return { db, processes: opened.use(processes) }
}

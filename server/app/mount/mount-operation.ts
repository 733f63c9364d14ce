import { statfs } from 'node:fs/promises'
import manifest from '../../../package.json' with { type: 'json' }
import { contract } from '../../../contract/index.ts'
import { operation } from '../../../contract/pages.ts'
import type { Accounts } from '../../accounts/accounts.ts'
import { aboutRoutes } from '../about.ts'
import type { ByteStore } from '../../files/byte-store.ts'
import type { Config } from '../config.ts'
import type { Database } from '../../db/database.ts'
import type { Processes } from '../../db/processes.ts'
import { databaseSize } from '../../db/database-size.ts'
import type { HttpServer } from '../../http/server.ts'
import type { Catalogue } from '../../modules/catalogue/catalogue.ts'
import { moduleEntries } from '../../modules/catalogue/store/module-entry.ts'
import { runCounter } from '../../operation/metrics/count-runs.ts'
import { fileBytesMeter } from '../../operation/metrics/file-bytes.ts'
import { AppError } from '../../kernel/app-error.ts'
import type { Log } from '../../kernel/log.ts'
import type { Metrics } from '../../operation/metrics/metrics.ts'
import { backupAge } from '../../operation/backup/backup-age.ts'
import { openFiles } from '../../operation/metrics/open-files.ts'
import { readiness } from '../../operation/readiness.ts'
import { readinessChecks } from '../../operation/readiness-checks.ts'
import type { StorageWatch } from '../../operation/storage-watch.ts'
import { isCollector, refuseStrangers } from '../../operation/metrics/metrics-access.ts'
import type { Tables } from '../../tables/tables.ts'

const BUILD_FILE = new URL('../../../dist/build.json', import.meta.url)

/** Mounts what operators and their programs read: whether it is alive, whether it is ready, its metrics, its routes. */
export function mountOperation(
  server: HttpServer,
  of: {
    readonly config: Pick<Config, 'dataFolder' | 'databaseUrl' | 'metricsToken'>
    readonly db: Database
    readonly processes: Processes
    readonly accounts: Pick<Accounts, 'passwordsWaiting'>
    readonly catalogue: Catalogue
    readonly tables: Tables
    readonly metrics: Metrics
    readonly storage: StorageWatch
    readonly store: Pick<ByteStore, 'size'>
    readonly log: Log
    /** Whether the service has been told to stop. */
    readonly draining: () => boolean
  },
): void {
  const { config, db, catalogue, tables, metrics, storage, log } = of
  const ready = readiness(readinessChecks(of), (failed, cause) => {
    if (failed.length > 0) log.warn({ failed, err: cause }, 'not ready')
    else log.info('ready again')
  })
  metrics.watch({
    version: manifest.version,
    processes: async () => (await of.processes.alive()).length,
    runs: runCounter(db.read),
    modules: () => moduleEntries(catalogue.context, 'en'),
    tableWorkers: () => ({ processes: tables.processes().length, waiting: tables.waiting() }),
    fileBytes: fileBytesMeter(db.read),
    openStreams: () => server.openStreams(),
    passwordsWaiting: of.accounts.passwordsWaiting,
    databaseBytes: () => databaseSize(db),
    disk: async () => {
      const { bavail, blocks, bsize } = await statfs(config.dataFolder)
      return { free: bavail * bsize, total: blocks * bsize }
    },
    storageFull: () => storage.full,
    backupAge: () => backupAge(db.read),
    openFiles,
  })
  server.mount(
    contract.about,
    aboutRoutes({
      version: manifest.version,
      database: config.databaseUrl === null ? 'sqlite' : 'postgresql',
      buildFile: BUILD_FILE,
    }),
  )
  server.mount(operation, {
    health: () => ({ status: 'ok' as const }),
    live: () => ({ status: 'ok' as const }),
    ready: async ({ caller, headers }) => {
      const { checks, problem } = await ready()
      // The parts of the installation are nobody else's business; that it does not serve is.
      const named = isCollector(caller, headers.authorization, config.metricsToken)
      if (problem === null) return { status: 'ok' as const, ...(named && { checks }) }
      throw new AppError(problem.code, problem.detail, named ? { extra: { checks } } : {})
    },
    metrics: ({ caller, headers }) => {
      refuseStrangers(caller, headers.authorization, config.metricsToken)
      return metrics.text()
    },
    openapi: async () => (await import('../../http/openapi/openapi.ts')).openApi(contract, manifest.version),
  })
}

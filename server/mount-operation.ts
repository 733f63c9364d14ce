import manifest from '../package.json' with { type: 'json' }
import { contract } from '../contract/index.ts'
import { operation } from '../contract/pages.ts'
import type { Database } from './db/database.ts'
import { openApi } from './http/openapi.ts'
import type { HttpServer } from './http/server.ts'
import { AppError } from './kernel/app-error.ts'
import { say } from './kernel/sentence.ts'
import type { Catalogue } from './modules/catalogue/catalogue.ts'
import { runCounter } from './operation/count-runs.ts'
import { fileBytesMeter } from './operation/file-bytes.ts'
import type { Metrics } from './operation/metrics.ts'
import { refuseStrangers } from './operation/metrics-access.ts'
import type { Tables } from './tables/tables.ts'

/** What operators and their programs look at: is it alive, is it ready, what does it do, which routes are there. */
export function mountOperation(
  server: HttpServer,
  of: {
    readonly db: Database
    readonly catalogue: Catalogue
    readonly tables: Tables
    readonly metrics: Metrics
  },
): void {
  const { db, catalogue, tables, metrics } = of
  metrics.watch({
    version: manifest.version,
    runs: runCounter(db.read),
    modules: () => catalogue.list(),
    tableWorkers: () => ({ processes: tables.processes().length, waiting: tables.waiting() }),
    fileBytes: fileBytesMeter(db.read),
    openStreams: () => server.openStreams(),
  })
  server.mount(operation, {
    health: () => ({ status: 'ok' as const }),
    ready: async () => {
      await db.ping().catch((error: unknown) => {
        throw new AppError('not_ready', say`The database does not answer.`, { cause: error })
      })
      return { status: 'ok' as const }
    },
    metrics: ({ caller, client, headers }) => {
      refuseStrangers(caller, client.address, headers)
      return metrics.text()
    },
    openapi: () => openApi(contract, manifest.version),
  })
}

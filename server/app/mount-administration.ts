import { contract } from '../../contract/index.ts'
import type { Accounts } from '../accounts/accounts.ts'
import type { EngineSettings } from '../ai/engine-settings.ts'
import type { Certificates } from '../certificates/certificates.ts'
import type { Chat } from '../chat/chat.ts'
import type { Model } from '../chat/ports/model.ts'
import type { Switches } from '../chat/run/switches.ts'
import type { Config } from './config.ts'
import type { Database } from '../db/database.ts'
import type { HttpServer } from '../http/server.ts'
import { loadedAtFirst } from '../kernel/loaded-at-first.ts'
import type { Tasks } from '../kernel/tasks.ts'
import type { Catalogue } from '../modules/catalogue/catalogue.ts'
import type { StorageWatch } from '../operation/storage-watch.ts'
import type { Machine } from '../sandbox/machine.ts'

/** What the administration pages and the dashboard read. */
export interface Administered {
  readonly config: Config
  readonly db: Database
  readonly accounts: Accounts
  readonly engine: EngineSettings
  readonly model: Model
  readonly catalogue: Catalogue
  readonly chat: Chat
  readonly switches: Switches
  readonly tasks: Tasks
  readonly certificates: Certificates
  readonly machine: Machine
  readonly storage: StorageWatch
}

/**
 * Mounts the engine, usage and limits, live runs and the dashboard: they read from many parts and own little
 * themselves.
 */
export function mountAdministration(server: Pick<HttpServer, 'mount'>, of: Administered): void {
  const { db, accounts, engine, chat, switches } = of
  server.mount(
    contract.engines,
    loadedAtFirst(contract.engines, async () => (await import('../ai/routes.ts')).engineRoutes(engine)),
  )
  server.mount(
    contract.usage,
    loadedAtFirst(contract.usage, async () =>
      (await import('../usage/routes.ts')).usageRoutes({
        db,
        audit: accounts.audit,
        priced: () => engine.current?.price != null,
      }),
    ),
  )
  server.mount(
    contract.runsAdmin,
    loadedAtFirst(contract.runsAdmin, async () =>
      (await import('../chat/runs-admin-routes.ts')).runsAdminRoutes({ db, chat, switches, audit: accounts.audit }),
    ),
  )
  server.mount(
    contract.dashboard,
    loadedAtFirst(contract.dashboard, async () => (await import('./dashboard-handlers.ts')).dashboardHandlers(of)),
  )
}

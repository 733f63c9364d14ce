import { contract } from '../../contract/index.ts'
import type { Accounts } from '../accounts/accounts.ts'
import type { EngineSettings } from '../ai/engine-settings.ts'
import { engineRoutes } from '../ai/routes.ts'
import type { Certificates } from '../certificates/certificates.ts'
import type { Chat } from '../chat/chat.ts'
import type { Model } from '../chat/ports/model.ts'
import { countLiveRuns } from '../chat/run-board.ts'
import type { Switches } from '../chat/run/switches.ts'
import { runsAdminRoutes } from '../chat/runs-admin-routes.ts'
import type { Config } from './config.ts'
import { dashboardRoutes, type DashboardPorts } from '../dashboard/routes.ts'
import { StorageMeter } from '../dashboard/storage.ts'
import type { Database } from '../db/database.ts'
import type { HttpServer } from '../http/server.ts'
import type { Tasks } from '../kernel/tasks.ts'
import type { Catalogue } from '../modules/catalogue/catalogue.ts'
import { moduleEntries } from '../modules/catalogue/store/module-entry.ts'
import type { StorageWatch } from '../operation/storage-watch.ts'
import { readMeters } from '../usage/meters.ts'
import { usageRoutes } from '../usage/routes.ts'
import { dayOf, usageByDay } from '../usage/usage-days.ts'
import type { Machine } from '../sandbox/machine.ts'
import { isIsolated } from '../sandbox/start-reader.ts'

const DASHBOARD_DAYS = 30

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
  const { config, db, accounts, engine, model, catalogue, chat, switches, tasks, certificates, machine, storage } = of
  const ports: DashboardPorts = {
    db,
    storage: new StorageMeter(db, config.dataFolder, (work) => tasks.spawn('measure storage', work)),
    engine: () => model.describe(),
    meters: (caller) => readMeters(db.read, caller, Date.now()),
    days: (user_id) => usageByDay(db.read, dayOf(Date.now(), DASHBOARD_DAYS - 1), user_id),
    modules: () => moduleEntries(catalogue.context, 'en'),
    liveRuns: () => countLiveRuns(db.read),
    diskFull: () => storage.full,
    switchedOff: () => switches.list().length,
    filesIsolated: () => isIsolated(machine.now()),
    transport: () => ({
      plain: certificates.source === null && isPlain(config),
      certificate_ends: certificateEnds(certificates),
    }),
  }
  server.mount(contract.engines, engineRoutes(engine))
  server.mount(contract.usage, usageRoutes({ db, audit: accounts.audit, priced: () => engine.current?.price != null }))
  server.mount(contract.runsAdmin, runsAdminRoutes({ db, chat, switches, audit: accounts.audit }))
  server.mount(contract.dashboard, dashboardRoutes(ports))
}

/** Whether people on other machines reach it without any encryption on the way. */
function isPlain({ host, publicUrl }: Config): boolean {
  const reached = publicUrl === null ? `http://${host.includes(':') ? `[${host}]` : host}` : publicUrl
  const { protocol, hostname } = new URL(reached)
  return protocol === 'http:' && !/^(localhost|127\.|\[::1\])/.test(hostname)
}

/** When the certificate expires that is not renewed automatically: the authority's, or the given one. */
function certificateEnds({ source }: Certificates): number | null {
  if (source === null) return null
  return (source.authority ?? source.pair.certificate).validToDate.getTime()
}

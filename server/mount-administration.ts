import { contract } from '../contract/index.ts'
import type { Accounts } from './accounts/accounts.ts'
import type { EngineSettings } from './ai/engine-settings.ts'
import { engineRoutes } from './ai/routes.ts'
import type { Certificates } from './certificates/certificates.ts'
import type { Chat } from './chat/chat.ts'
import type { Model } from './chat/model.ts'
import { countLiveRuns } from './chat/run-board.ts'
import { runsAdminRoutes } from './chat/runs-admin-routes.ts'
import type { Config } from './config.ts'
import { dashboardRoutes, type DashboardPorts } from './dashboard/routes.ts'
import { StorageMeter } from './dashboard/storage.ts'
import type { Database } from './db/database.ts'
import type { HttpServer } from './http/server.ts'
import type { Tasks } from './kernel/tasks.ts'
import type { Catalogue } from './modules/catalogue/catalogue.ts'
import { readMeters } from './usage/meters.ts'
import { usageRoutes } from './usage/routes.ts'
import { dayOf, usageByDay } from './usage/usage-days.ts'

const DASHBOARD_DAYS = 30

/** What the pages of the administration and the dashboard look at. */
export interface Administered {
  readonly config: Config
  readonly db: Database
  readonly accounts: Accounts
  readonly engine: EngineSettings
  readonly model: Model
  readonly catalogue: Catalogue
  readonly chat: Chat
  readonly tasks: Tasks
  readonly certificates: Certificates
}

/** Mounts the engine, use and limits, live runs and the dashboard: they read all over the house, and own little. */
export function mountAdministration(server: Pick<HttpServer, 'mount'>, of: Administered): void {
  const { config, db, accounts, engine, model, catalogue, chat, tasks, certificates } = of
  const ports: DashboardPorts = {
    db,
    storage: new StorageMeter(db, config.dataFolder, (work) => tasks.spawn('measure storage', work)),
    engine: () => model.describe(),
    meters: (caller) => readMeters(db.read, caller, Date.now()),
    days: (user_id) => usageByDay(db.read, dayOf(Date.now(), DASHBOARD_DAYS - 1), user_id),
    modules: () => catalogue.list(),
    liveRuns: () => countLiveRuns(db.read),
    switchedOff: () => chat.ports.switches.list().length,
    transport: () => ({
      plain: certificates.source === null && isPlain(config),
      certificate_ends: certificateEnds(certificates),
    }),
  }
  server.mount(contract.engines, engineRoutes(engine))
  server.mount(contract.usage, usageRoutes({ db, audit: accounts.audit, priced: () => engine.current?.price != null }))
  server.mount(contract.runsAdmin, runsAdminRoutes(chat))
  server.mount(contract.dashboard, dashboardRoutes(ports))
}

/** People on other machines reach it, and nothing on the way is encrypted. */
function isPlain({ host, publicUrl }: Config): boolean {
  const reached = publicUrl === null ? `http://${host.includes(':') ? `[${host}]` : host}` : publicUrl
  const { protocol, hostname } = new URL(reached)
  return protocol === 'http:' && !/^(localhost|127\.|\[::1\])/.test(hostname)
}

/** When the certificate ends that nobody renews by itself: the authority's, or the one that was given. */
function certificateEnds({ source }: Certificates): number | null {
  if (source === null) return null
  return (source.authority ?? source.pair.certificate).validToDate.getTime()
}

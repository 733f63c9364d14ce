import { contract } from '../../../contract/index.ts'
import type { Administered } from '../administered.ts'
import type { HttpServer } from '../../http/server.ts'
import { loadedAtFirst } from '../../kernel/loaded-at-first.ts'

/**
 * Mounts the engine, usage and limits, live runs and the dashboard: they read from many parts and own little
 * themselves.
 */
export function mountAdministration(server: Pick<HttpServer, 'mount'>, of: Administered): void {
  const { db, accounts, engines, chat, switches } = of
  server.mount(
    contract.engines,
    loadedAtFirst(contract.engines, async () => (await import('../../ai/routes.ts')).engineRoutes(engines)),
  )
  server.mount(
    contract.usage,
    loadedAtFirst(contract.usage, async () =>
      (await import('../../usage/routes.ts')).usageRoutes({
        db,
        audit: accounts.audit,
        priced: () => engines.all.some(({ price }) => price !== null),
        engines: () => engines.all,
      }),
    ),
  )
  server.mount(
    contract.runsAdmin,
    loadedAtFirst(contract.runsAdmin, async () =>
      (await import('../../chat/runs-admin-routes.ts')).runsAdminRoutes({ db, chat, switches, audit: accounts.audit }),
    ),
  )
  server.mount(
    contract.hostWork,
    loadedAtFirst(contract.hostWork, async () =>
      (await import('../../chat/look-routes.ts')).lookRoutes(await chat.openLooks()),
    ),
  )
  server.mount(
    contract.dashboard,
    loadedAtFirst(contract.dashboard, async () => (await import('../dashboard-handlers.ts')).dashboardHandlers(of)),
  )
}

import { contract } from '../../../contract/index.ts'
import type { Accounts } from '../../accounts/accounts.ts'
import type { auditedUses } from '../audited-uses.ts'
import type { Certificates } from '../../certificates/certificates.ts'
import type { Activity } from '../../chat/history/activity.ts'
import type { HttpServer } from '../../http/server.ts'
import { loadedAtFirst } from '../../kernel/loaded-at-first.ts'
import type { Tasks } from '../../kernel/tasks.ts'
import type { Catalogue } from '../../modules/catalogue/catalogue.ts'
import type { Notifications } from '../../notifications/notifications.ts'
import type { TableHandlersOptions } from '../table-handlers.ts'
import { mountReports } from './mount-reports.ts'

interface Features extends Omit<TableHandlersOptions, 'policy'> {
  readonly activity: Activity
  readonly accounts: Accounts
  readonly certificates: Certificates
  readonly catalogue: Catalogue
  readonly notifications: Pick<Notifications, 'tell' | 'end' | 'whileHolds'>
  readonly audited: Pick<ReturnType<typeof auditedUses>, 'tables'>
}

/** What whatever runs by itself needs: telling people, reports of its runs, and when nothing of it runs. */
export interface Unattended extends Pick<Notifications, 'tell' | 'end' | 'whileHolds'>, Pick<Tasks, 'settled'> {
  readonly reportEnded: ReturnType<typeof mountReports>['ended']
}

/** Mounts the features whose routes no start needs: tables, quick commands, modules, certificates, reports. */
export function mountFeatures(server: Pick<HttpServer, 'mount'>, of: Features): Unattended {
  const { db, activity, accounts, certificates, catalogue } = of
  server.mount(
    contract.tables,
    of.audited.tables(
      loadedAtFirst(contract.tables, async () =>
        (await import('../table-handlers.ts')).tableHandlers({ ...of, policy: accounts.policy }),
      ),
    ),
  )
  server.mount(
    contract.commands,
    loadedAtFirst(contract.commands, async () =>
      (await import('../../commands/routes.ts')).commandRoutes({
        db,
        onChanged: (trx, { user_id, ...data }) => activity.append(trx, user_id, [{ type: 'command.changed', data }]),
      }),
    ),
  )
  server.mount(
    contract.connections,
    loadedAtFirst(contract.connections, async () =>
      (await import('../../modules/catalogue/connection-routes.ts')).connectionRoutes(catalogue),
    ),
  )
  server.mount(
    contract.modules,
    loadedAtFirst(contract.modules, async () =>
      (await import('../../modules/catalogue/routes.ts')).moduleRoutes(catalogue),
    ),
  )
  server.mount(
    contract.certificates,
    loadedAtFirst(contract.certificates, async () =>
      (await import('../../certificates/routes.ts')).certificateRoutes(certificates.source),
    ),
  )
  const { tell, end, whileHolds } = of.notifications
  const settled = of.tasks.settled.bind(of.tasks)
  return { tell, end, whileHolds, settled, reportEnded: mountReports(server, of).ended }
}

import type { Accounts } from '../../accounts/accounts.ts'
import type { Certificates } from '../../certificates/certificates.ts'
import type { Chat } from '../../chat/chat.ts'
import type { Activity } from '../../chat/history/activity.ts'
import type { Policy } from '../../chat/ports/policy.ts'
import type { Procedures } from '../../chat/ports/procedures.ts'
import type { Secrets } from '../../chat/ports/secrets.ts'
import type { Tools } from '../../chat/ports/tools.ts'
import type { MachineEye } from '../../dashboard/machine-state.ts'
import type { Database } from '../../db/database.ts'
import type { KnownHosts } from '../../hosts/host-list.ts'
import type { HttpServer } from '../../http/server.ts'
import type { Log } from '../../kernel/log.ts'
import type { Tasks } from '../../kernel/tasks.ts'
import type { Vault } from '../../kernel/vault.ts'
import type { Notifications } from '../../notifications/notifications.ts'
import type { ReportEnded } from '../../routines/ports.ts'
import type { OpenedRoutines } from '../../routines/open-routines.ts'
import type { OpenedHosts } from './mount-hosts.ts'
import { mountProcedures, proceduresOfRoutines } from './mount-procedures.ts'
import { openPlanning } from './mount-routines.ts'
import { mountWatches } from './mount-watches.ts'

interface Of {
  readonly db: Database
  readonly vault: Vault
  readonly log: Log
  readonly activity: Activity
  readonly accounts: Pick<Accounts, 'audit' | 'senders'>
  /** With what is switched off for everyone denied. */
  readonly policy: Pick<Policy, 'forUser'>
  readonly chat: Chat
  readonly procedures: Procedures
  readonly tools: Tools
  readonly secrets: Secrets
  readonly hosts: Pick<OpenedHosts, 'figures'>
  readonly known: KnownHosts
  readonly notifications: Pick<Notifications, 'tell' | 'end' | 'whileHolds'>
  readonly reportEnded: ReportEnded
  /** The time that schedules go by, instead of the database's (tests). */
  readonly clock: (() => number) | undefined
}

interface Start {
  readonly eye: MachineEye
  readonly certificates: Certificates
  readonly tasks: Tasks
}

/** What goes on while nobody looks: procedures, the routines that run them, and the watches that start routines. */
export async function openUnattended(
  of: Of,
): Promise<OpenedRoutines & { start(server: Pick<HttpServer, 'mount'>, start: Start): Disposable }> {
  const { db, accounts, known, policy } = of
  const { tell: tellNotice, whileHolds } = of.notifications
  const parts = { ...of, tellNotice }
  const routines = await openPlanning({ ...parts, procedures: proceduresOfRoutines(of.procedures, policy) })
  whileHolds('watch_crossed', async ({ ref_id }) =>
    (await import('../../watches/crossed.ts')).isCrossed(db.read, ref_id),
  )
  whileHolds('review_wanted', async ({ ref_id }) =>
    (await import('../../procedures/reviews.ts')).isInReview(db.read, ref_id),
  )
  return {
    ...routines,
    start(server, start) {
      mountProcedures(server, { ...parts, hosts: known })
      routines.start(server, start.tasks)
      return mountWatches(server, { ...parts, ...start, accounts, routines: routines.forWatches })
    },
  }
}

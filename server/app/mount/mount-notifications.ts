import { contract } from '../../../contract/index.ts'
import type { Accounts } from '../../accounts/accounts.ts'
import type { Activity } from '../../chat/history/activity.ts'
import type { Database } from '../../db/database.ts'
import type { HttpServer } from '../../http/server.ts'
import { loadedAtFirst } from '../../kernel/loaded-at-first.ts'
import type { Log } from '../../kernel/log.ts'
import type { Tasks } from '../../kernel/tasks.ts'
import type { Vault } from '../../kernel/vault.ts'
import type { TellPages } from '../../notifications/notices.ts'
import { type Notifications, openNotifications } from '../../notifications/notifications.ts'

/** Milliseconds between two looks at what is due. */
const LOOK = 5000

/** What people are told of when they look at no page. `start` mounts its routes and sends what is due. */
export async function openNotifying(of: {
  readonly db: Database
  readonly vault: Vault
  readonly log: Log
  /** Under which people reach the service. */
  readonly address: () => string
  readonly activity: () => Pick<Activity, 'appendForEach'>
}): Promise<
  Notifications & {
    start(server: Pick<HttpServer, 'mount'>, accounts: Pick<Accounts, 'audit'>, tasks: Tasks): void
  }
> {
  const { log } = of
  const options = {
    ...of,
    tellPages: ((trx, user_ids, data) =>
      of.activity().appendForEach(trx, user_ids, { type: 'notice.changed', data })) satisfies TellPages,
    onFailed: (channel: string, problem: string) => log.warn({ channel, problem }, 'a message was not delivered'),
  }
  const notifications = await openNotifications(options)
  return {
    ...notifications,
    start(server, { audit }, tasks) {
      server.mount(
        contract.notifications,
        loadedAtFirst(contract.notifications, async () => {
          const { notificationRoutes } = await import('../../notifications/routes.ts')
          return notificationRoutes({ ...options, audit, known: notifications.known })
        }),
      )
      server.mount(
        contract.notices,
        loadedAtFirst(contract.notices, async () => {
          const { noticeRoutes } = await import('../../notifications/notice-routes.ts')
          return noticeRoutes(options)
        }),
      )
      const send = (): void => tasks.spawn('send messages', notifications.sweep)
      notifications.onStored(send)
      tasks.every('send messages', LOOK, notifications.sweep)
    },
  }
}

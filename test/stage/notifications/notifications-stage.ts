import { sql } from 'kysely'
import { contract } from '../../../contract/index.ts'
import { command, openStage, say, type Member, type Stage } from '../chat-stage.ts'
import type { TestClient } from '../client.ts'
import { startMailServer, type MailServer } from '../servers/mail-server.ts'
import type { TestDatabase } from '../servers/postgres.ts'

export const RUN = 'tool:system.run_command'
export const MAIL_PASSWORD = 'mail-password-7f3a'
/** The secret key of the installation, for a second process. */
export const KEY = '5e'.repeat(32)

/** What a shared channel is where a test says nothing else. */
export const CHANNEL = {
  account: null,
  sender: null,
  target: null,
  secret: null,
  internal: false,
  language: 'en' as const,
  enabled: true,
}

export interface Reachable extends Member {
  readonly address: string
}

/** The real service with a mail server, and people whose calls wait. */
export interface NotificationsStage extends Stage {
  readonly admin: TestClient
  readonly mail: MailServer
  /** Makes the mail server known to the service. */
  addServer(): Promise<string>
  /** Somebody who decides about their own commands. */
  asking(username: string): Promise<Member>
  /** The same, with an address that is confirmed, told at once. */
  reachable(username: string): Promise<Reachable>
  /** A call of the member that waits; what it would do must not be told outside. */
  waiting(member: Member, cue: string): Promise<string>
  /** Mails to an address that hold a text. */
  about(address: string, text: string): readonly { readonly subject: string; readonly text: string }[]
  deliveries(approval_id: string): ReturnType<typeof deliveriesOf>
  /** The clock of everything that is still to be sent goes on by so many milliseconds. */
  later(ms: number): Promise<void>
}

export async function openNotificationsStage(
  database: TestDatabase,
  options: { readonly clock?: () => number } = {},
): Promise<NotificationsStage> {
  const opened = new AsyncDisposableStack()
  const stage = opened.use(await openStage(database, { ...options, env: { REEVE_SECRET_KEY: KEY } }))
  const mail = opened.use(await startMailServer({ user: 'reeve', pass: MAIL_PASSWORD }))
  const admin = await stage.as('admin')
  const asking = (username: string) => stage.member(username, [{ subject: RUN, effect: 'ask', approvers: [] }])
  return {
    ...stage,
    admin,
    mail,
    async addServer() {
      const server = { kind: 'smtp' as const, name: 'Mail', address: mail.url, sender: 'reeve@example.com' }
      const body = { ...CHANNEL, ...server, account: 'reeve', secret: MAIL_PASSWORD }
      return (await admin.call(contract.notifications.addChannel, { body })).channel.channel_id
    },
    asking,
    async reachable(username) {
      const member = await asking(username)
      const address = `${username}@example.com`
      const { items } = await member.client.call(contract.notifications.addOwnChannel, { body: { address } })
      const code = /code (\d{3} \d{3})/.exec(mail.to(address).at(-1)!.text)![1]!
      const params = { channel_id: items[0]!.channel_id }
      await member.client.call(contract.notifications.verifyOwnChannel, { params, body: { code } })
      await member.client.call(contract.notifications.saveNoticeSettings, { body: { wait_s: 0 } })
      return { ...member, address }
    },
    async waiting(member, cue) {
      stage.play(cue, [[{ calls: [command(`echo secret-argument-${cue}`)] }], [{ text: 'Over.' }]])
      const { approvals } = await say(member.client, cue)
      return approvals[0]!.approval_id
    },
    about: (address, text) => mail.to(address).filter((one) => one.text.includes(text)),
    deliveries: (approval_id) => deliveriesOf(admin, approval_id),
    later: (ms) =>
      stage.app.db.transaction(async (trx) => {
        const set = { due_at: sql<number>`due_at - ${ms}`, done_at: sql<number>`done_at - ${ms}` }
        await trx.updateTable('outbox').set(set).execute()
        stage.app.db.wake(trx, 'outbox')
      }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

async function deliveriesOf(admin: TestClient, approval_id: string) {
  const { items } = await admin.call(contract.notifications.deliveries, { query: { limit: 200 } })
  return items.filter(({ ref_id }) => ref_id === approval_id)
}

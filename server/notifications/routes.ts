import type { notifications as contract } from '../../contract/notifications.ts'
import type { Caller, Handlers } from '../../contract/route.ts'
import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'
import type { ChannelTable } from '../db/rows/notification-tables.ts'
import { keepOutcome, mailServer } from './deliver.ts'
import { listDeliveries } from './deliveries.ts'
import { codeMessage, testMessage } from './direct-messages.ts'
import { readSettings, saveSettings } from './notice-settings.ts'
import { saveRules } from './notice-rules.ts'
import type { NotificationsAdministration } from './notifications.ts'
import { OwnChannels } from './own-channels.ts'
import type { Message } from './send/message.ts'
import { sendMessage } from './send/send-message.ts'
import { SharedChannels } from './shared-channels.ts'

/** The handlers of a person's addresses, of shared channels, and of what was sent. */
export function notificationRoutes(of: NotificationsAdministration): Handlers<typeof contract> {
  const { db, vault, known } = of
  const shared = new SharedChannels(of)
  const own = new OwnChannels(of)

  const ownOf = async ({ user_id }: Caller) => ({
    items: await own.list(user_id),
    settings: await readSettings(db, user_id),
    mail: known.mail,
  })
  const listRules = () => ({ items: [...known.rules] })

  /** Sends to an address of a person now; how it fared stands at the address. */
  async function mailTo(channel: ChannelTable, message: Message, signal: AbortSignal): Promise<string | null> {
    const server = await mailServer(db)
    if (server === null) throw noServer()
    const problem = await sendMessage(vault, { channel: server, to: channel.address }, message, signal)
    await keepOutcome(db, channel.channel_id, problem)
    return problem
  }
  async function sendCode(
    { user_id, language }: Caller,
    channel_id: string,
    signal: AbortSignal,
  ): Promise<string | null> {
    const channel = await own.row(user_id, channel_id)
    return mailTo(channel, codeMessage(await own.newCode(channel), language), signal)
  }

  return {
    ownChannels: ({ caller }) => ownOf(caller),
    addOwnChannel: async ({ caller, body, signal }) => {
      if (!known.mail) throw noServer()
      await own.countCode(caller.user_id)
      const channel_id = await own.add(caller.user_id, body.address, caller.language)
      await sendCode(caller, channel_id, signal)
      return { ok: true, ...(await ownOf(caller)) }
    },
    verifyOwnChannel: async ({ caller, params, body }) => {
      await own.verify(caller.user_id, params.channel_id, body.code)
      return { ok: true, ...(await ownOf(caller)) }
    },
    testOwnChannel: async ({ caller, params, signal }) => {
      const channel = await own.row(caller.user_id, params.channel_id)
      if (channel.verified_at === null && known.mail) await own.countCode(caller.user_id)
      const problem =
        channel.verified_at === null
          ? await sendCode(caller, channel.channel_id, signal)
          : await mailTo(channel, testMessage(caller.language, of.address()), signal)
      return { ok: problem === null, problem }
    },
    removeOwnChannel: async ({ caller, params }) => {
      await own.remove(caller.user_id, params.channel_id)
      return { ok: true, ...(await ownOf(caller)) }
    },
    saveNoticeSettings: async ({ caller, body }) => {
      await saveSettings(db, caller.user_id, body)
      return { ok: true, ...(await ownOf(caller)) }
    },
    listChannels: async () => ({ items: await shared.list() }),
    addChannel: async ({ caller, body }) => ({ ok: true, channel: await shared.add(caller, body) }),
    updateChannel: async ({ caller, params, body }) => ({
      ok: true,
      channel: await shared.update(caller, params.channel_id, body),
    }),
    removeChannel: async ({ caller, params: { channel_id } }) => {
      await shared.remove(caller, channel_id)
      return { ok: true, deleted: channel_id }
    },
    testChannel: async ({ caller, params, body, signal }) => {
      const channel = await shared.row(params.channel_id)
      const to = body.to ?? channel.target
      if (channel.kind === 'smtp' && to === null)
        throw new AppError('bad_channel', say`Say where the test mail is to go.`)
      const message = testMessage(channel.language, of.address())
      const problem = await sendMessage(vault, { channel, to }, message, signal)
      await keepOutcome(db, channel.channel_id, problem)
      const details = { name: channel.name, ...(problem !== null && { problem }) }
      const outcome = problem === null ? 'ok' : 'failed'
      await db.transaction((trx) =>
        of.audit.record(trx, { actor: caller, action: 'channel.tested', target: channel.channel_id, outcome, details }),
      )
      return { ok: problem === null, problem }
    },
    noticeRules: async () => listRules(),
    saveNoticeRules: async ({ caller, body }) => {
      await saveRules(of, caller, body.items)
      return { ok: true, ...listRules() }
    },
    deliveries: ({ query }) => listDeliveries(db.read, query),
  }
}

function noServer(): AppError {
  return new AppError('no_mail_server', say`No mail server has been set up here. An administrator can do that.`)
}

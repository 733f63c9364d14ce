import { z } from 'zod'
import { LANGUAGES } from './accounts.ts'
import {
  CHANNEL_LIMITS,
  ChannelKind,
  Delivery,
  MailAddress,
  NoticeRule,
  NoticeSettings,
  OwnChannel,
  SharedChannel,
} from './notification-values.ts'
import { json, route } from './route.ts'
import { Cursor, Id, limit, NextCursor, Ok } from './values.ts'

/** Without control or invisible characters: it goes into headers. */
const Line = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^\P{C}+$/u)
const Address = z
  .string()
  .trim()
  .max(2000)
  .regex(/^[!-~]+$/, 'must not hold spaces or special characters')
const Secret = z
  .string()
  .max(4000)
  .regex(/^[!-~]+$/, 'must not hold spaces or special characters')

const shared = {
  name: Line.max(80),
  kind: ChannelKind,
  address: Address,
  account: Line.nullable(),
  sender: MailAddress.nullable(),
  target: Line.nullable(),
  /**
   * Password, token or signing secret; omitted: the one that is stored. null: none. It can never be read back, and is
   * only sent to the address it was stored for.
   */
  secret: Secret.nullable(),
  internal: z.boolean(),
  language: z.enum(LANGUAGES),
  enabled: z.boolean(),
}
const ChannelParams = z.object({ channel_id: Id })
const saved = json(z.strictObject({ ok: Ok, channel: SharedChannel }))
const ChannelTest = z.strictObject({
  ok: z.boolean(),
  /** Why it did not arrive, in the reader's language; null when it did. */
  problem: z.string().nullable(),
})

const rules = json(z.strictObject({ items: z.array(NoticeRule) }))

const own = z.strictObject({
  items: z.array(OwnChannel),
  settings: NoticeSettings,
  /** Whether there is a mail server. */
  mail: z.boolean(),
})
const ownSaved = json(z.strictObject({ ok: Ok, ...own.shape }))

/** Telling people who are not looking at a page that something waits for them. */
export const notifications = {
  ownChannels: route({
    method: 'GET',
    path: '/api/channels',
    summary: 'My addresses for notifications, and when I am told',
    access: 'session',
    sessionOnly: true,
    response: json(own),
    errors: [],
  }),
  addOwnChannel: route({
    method: 'POST',
    path: '/api/channels',
    summary: 'Adds a mail address of mine, and sends a code to it',
    access: 'session',
    sessionOnly: true,
    rateLimit: 30,
    body: { kind: 'json', schema: z.strictObject({ address: MailAddress }) },
    response: ownSaved,
    errors: ['no_mail_server', 'channel_exists', 'too_many_channels', 'too_many_codes'],
  }),
  verifyOwnChannel: route({
    method: 'POST',
    path: '/api/channels/{channel_id}/verify',
    summary: 'Confirms an address by the code that was sent to it',
    access: 'session',
    sessionOnly: true,
    rateLimit: 30,
    params: ChannelParams,
    body: { kind: 'json', schema: z.strictObject({ code: z.string().trim().max(20) }) },
    response: ownSaved,
    errors: ['not_found', 'wrong_code'],
  }),
  testOwnChannel: route({
    method: 'POST',
    path: '/api/channels/{channel_id}/test',
    summary: 'Sends a message to an address of mine; a new code if it is not confirmed',
    access: 'session',
    sessionOnly: true,
    rateLimit: 30,
    params: ChannelParams,
    response: json(z.strictObject({ ok: z.boolean(), problem: z.string().nullable() })),
    errors: ['not_found', 'no_mail_server', 'too_many_codes'],
  }),
  removeOwnChannel: route({
    method: 'DELETE',
    path: '/api/channels/{channel_id}',
    summary: 'Removes an address of mine',
    access: 'session',
    sessionOnly: true,
    params: ChannelParams,
    response: ownSaved,
    errors: ['not_found'],
  }),
  saveNoticeSettings: route({
    method: 'PATCH',
    path: '/api/notification-settings',
    summary: 'What I am told of by mail, and when',
    access: 'session',
    sessionOnly: true,
    body: { kind: 'json', schema: NoticeSettings.partial() },
    response: ownSaved,
    errors: ['unknown_zone'],
  }),
  listChannels: route({
    method: 'GET',
    path: '/api/admin/channels',
    summary: 'Shared channels, without their secrets',
    access: 'admin',
    response: json(z.strictObject({ items: z.array(SharedChannel) })),
    errors: [],
  }),
  addChannel: route({
    method: 'POST',
    path: '/api/admin/channels',
    summary: 'Adds a mail server or a webhook',
    access: 'admin',
    sessionOnly: true,
    body: {
      kind: 'json',
      schema: z.strictObject({
        ...shared,
        account: shared.account.default(null),
        sender: shared.sender.default(null),
        target: shared.target.default(null),
        secret: shared.secret.default(null),
        internal: shared.internal.default(false),
        language: shared.language.default('en'),
        enabled: shared.enabled.default(true),
      }),
    },
    response: saved,
    errors: ['channel_exists', 'too_many_channels', 'bad_channel'],
  }),
  updateChannel: route({
    method: 'PATCH',
    path: '/api/admin/channels/{channel_id}',
    summary: 'Changes a shared channel',
    access: 'admin',
    sessionOnly: true,
    params: ChannelParams,
    body: { kind: 'json', schema: z.strictObject(shared).omit({ kind: true }).partial() },
    response: saved,
    errors: ['not_found', 'channel_exists', 'bad_channel', 'channel_secret_elsewhere'],
  }),
  removeChannel: route({
    method: 'DELETE',
    path: '/api/admin/channels/{channel_id}',
    summary: 'Removes a shared channel, and the rules that use it',
    access: 'admin',
    sessionOnly: true,
    params: ChannelParams,
    response: json(z.strictObject({ ok: Ok, deleted: Id })),
    errors: ['not_found'],
  }),
  testChannel: route({
    method: 'POST',
    path: '/api/admin/channels/{channel_id}/test',
    summary: 'Sends a message through a shared channel now',
    access: 'admin',
    sessionOnly: true,
    rateLimit: 30,
    params: ChannelParams,
    body: {
      kind: 'json',
      optional: true,
      /** Where a test mail goes, if not to the target of the channel. */
      schema: z.strictObject({ to: MailAddress.optional() }),
    },
    response: json(ChannelTest),
    errors: ['not_found', 'bad_channel'],
  }),
  noticeRules: route({
    method: 'GET',
    path: '/api/admin/notification-rules',
    summary: 'Who else is told of cards that wait',
    access: 'admin',
    response: rules,
    errors: [],
  }),
  saveNoticeRules: route({
    method: 'PUT',
    path: '/api/admin/notification-rules',
    summary: 'Replaces the rules that say who else is told',
    access: 'admin',
    sessionOnly: true,
    body: {
      kind: 'json',
      schema: z.strictObject({
        items: z
          .array(
            NoticeRule.omit({ rule_id: true }).refine(
              (rule) => (rule.channel_id === null) !== (rule.to_role_id === null),
              {
                message: 'either a channel or a role',
              },
            ),
          )
          .max(CHANNEL_LIMITS.rules),
      }),
    },
    response: json(z.strictObject({ ok: Ok, items: z.array(NoticeRule) })),
    errors: ['unknown_role', 'unknown_channel'],
  }),
  deliveries: route({
    method: 'GET',
    path: '/api/admin/deliveries',
    summary: 'What was sent, waits, or could not be delivered, newest first',
    access: 'admin',
    query: z.object({
      status: z.enum(['pending', 'sent', 'dropped', 'dead']).optional(),
      limit: limit(50),
      cursor: Cursor,
    }),
    response: json(z.strictObject({ items: z.array(Delivery), next_cursor: NextCursor })),
    errors: [],
  }),
}

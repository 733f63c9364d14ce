import { z } from 'zod'
import { LANGUAGES } from './accounts.ts'
import { json, route } from './route.ts'
import { Cursor, Id, limit, NextCursor, Ok, Timestamp } from './values.ts'

/** Shared channels, rules, and addresses of one person. */
export const CHANNEL_LIMITS = { shared: 20, rules: 50, own: 3 } as const
/** Attempts for one message before it counts as not delivered. */
export const DELIVERY_ATTEMPTS = 8
/** Wrong codes for one address; then a new code is needed. */
export const CODE_ATTEMPTS = 5

const DAY_S = 86_400
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
/** One mailbox, without a name: `ann@example.com`. */
export const MailAddress = z.string().trim().max(254).pipe(z.email())
const Secret = z
  .string()
  .max(4000)
  .regex(/^[!-~]+$/, 'must not hold spaces or special characters')
const Clock = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'a time such as 22:00')

/**
 * How a shared channel is reached. `smtp`: a mail server. `generic`: a webhook that gets JSON, signed as Standard Webhooks
 * say. `slack`, `matrix`, `ntfy`: what those services take.
 */
export const ChannelKind = z.enum(['smtp', 'generic', 'slack', 'matrix', 'ntfy'])
export type ChannelKind = z.infer<typeof ChannelKind>

/** What people are told of. `approval`: a call of theirs waits for them. `vote`: somebody else's call waits for them. */
export const NoticeEvent = z.enum(['approval', 'vote'])
export type NoticeEvent = z.infer<typeof NoticeEvent>

const delivered = {
  /** When a message last arrived, and what kept the newest one from arriving. */
  sent_at: Timestamp.nullable(),
  problem: z.string().nullable(),
  problem_at: Timestamp.nullable(),
}

/** A place that an administrator has named. */
export const SharedChannel = z.strictObject({
  channel_id: Id,
  name: z.string(),
  kind: ChannelKind,
  /**
   * `smtps://host:465` or `smtp://host:587` of a mail server, else http or https. Of a Slack webhook only the host: the
   * rest is its secret.
   */
  address: z.string(),
  /** The account at the mail server; null: none. */
  account: z.string().nullable(),
  /** What mails come from: `reeve@example.com`. */
  sender: z.string().nullable(),
  /** A room of Matrix (`!abc:example.org`), or where mails of rules go. */
  target: z.string().nullable(),
  secret: z.strictObject({ configured: z.boolean(), updated_at: Timestamp.nullable() }),
  /** It may also be told what a call would do, besides which tool it is. */
  internal: z.boolean(),
  language: z.enum(LANGUAGES),
  enabled: z.boolean(),
  ...delivered,
})
export type SharedChannel = z.infer<typeof SharedChannel>

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

/** Who else is told of a card, and after how long. */
export const NoticeRule = z.strictObject({
  rule_id: Id,
  /** Cards of people of this role; null: of all. */
  role_id: Id.nullable(),
  /** Seconds for which it has waited by then. Time never decides. */
  after_s: z.int().min(0).max(DAY_S),
  /** One of the two: a shared channel, or everybody of a role by their own channels. */
  channel_id: Id.nullable(),
  to_role_id: Id.nullable(),
})
export type NoticeRule = z.infer<typeof NoticeRule>
const rules = json(z.strictObject({ items: z.array(NoticeRule) }))

/** An address of one person. Nothing is sent to it but codes before it is verified. */
export const OwnChannel = z.strictObject({
  channel_id: Id,
  address: z.string(),
  verified_at: Timestamp.nullable(),
  ...delivered,
})
export type OwnChannel = z.infer<typeof OwnChannel>

export const NoticeSettings = z.strictObject({
  /** By mail. */
  approval: z.boolean(),
  vote: z.boolean(),
  /** Seconds that something waits before a mail says so: whoever decides by then is left in peace. */
  wait_s: z.int().min(0).max(DAY_S),
  /** No mail from one time of day to another; it comes at the end. null: at any time. */
  quiet: z.strictObject({ from: Clock, to: Clock }).nullable(),
  /** IANA name of the zone of those times: `Europe/Berlin`. */
  zone: z.string().max(64),
})
export type NoticeSettings = z.infer<typeof NoticeSettings>

const own = z.strictObject({
  items: z.array(OwnChannel),
  settings: NoticeSettings,
  /** Whether there is a mail server. */
  mail: z.boolean(),
})
const ownSaved = json(z.strictObject({ ok: Ok, ...own.shape }))

export const Delivery = z.strictObject({
  outbox_id: Id,
  event: NoticeEvent,
  /** The approval that it is about. */
  ref_id: Id,
  /** Where to: a shared channel, or a person's address. null: not known yet, as it is for a role. */
  channel: z.string().nullable(),
  /** Whom, if it is a person. */
  username: z.string().nullable(),
  /** `dropped`: it was decided before anything was sent. `dead`: all attempts failed. */
  status: z.enum(['pending', 'sent', 'dropped', 'dead']),
  attempts: z.int(),
  problem: z.string().nullable(),
  due_at: Timestamp,
  done_at: Timestamp.nullable(),
})
export type Delivery = z.infer<typeof Delivery>

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
    rateLimit: 10,
    body: { kind: 'json', schema: z.strictObject({ address: MailAddress }) },
    response: ownSaved,
    errors: ['no_mail_server', 'channel_exists', 'too_many_channels'],
  }),
  verifyOwnChannel: route({
    method: 'POST',
    path: '/api/channels/{channel_id}/verify',
    summary: 'Confirms an address by the code that was sent to it',
    access: 'session',
    sessionOnly: true,
    rateLimit: 20,
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
    rateLimit: 10,
    params: ChannelParams,
    response: json(z.strictObject({ ok: z.boolean(), problem: z.string().nullable() })),
    errors: ['not_found', 'no_mail_server'],
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
    rateLimit: 20,
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

import { z } from 'zod'
import { LANGUAGES } from './accounts.ts'
import { Id, Timestamp } from './values.ts'

/** Shared channels, rules, and addresses of one person. */
export const CHANNEL_LIMITS = { shared: 20, rules: 50, own: 3 } as const
/** Attempts for one message before it counts as not delivered. */
export const DELIVERY_ATTEMPTS = 8
/** Wrong codes for one address; then a new code is needed. */
export const CODE_ATTEMPTS = 5
/** Codes sent for one person. */
export const CODES_AN_HOUR = 5

const DAY_S = 86_400
const Clock = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'a time such as 22:00')

/** One mailbox, without a name: `ann@example.com`. */
export const MailAddress = z.string().trim().max(254).pipe(z.email())

/**
 * How a shared channel is reached. `smtp`: a mail server. `generic`: a webhook that gets JSON, signed as Standard Webhooks
 * say. `slack`, `matrix`, `ntfy`: what those services take.
 */
export const ChannelKind = z.enum(['smtp', 'generic', 'slack', 'matrix', 'ntfy'])
export type ChannelKind = z.infer<typeof ChannelKind>

/** Which choice of a person covers a notice. */
export const NOTICE_KINDS = {
  routine_paused: 'routines',
  routine_failed: 'routines',
  routine_stopped: 'routines',
  report_ready: 'reports',
  review_wanted: 'reviews',
  watch_crossed: 'watches',
  watch_recovered: 'watches',
  connection_lost: 'connections',
} as const
/** What a notice tells. Nothing waits for an answer, as it does with cards. */
export const NoticeTopic = z.enum([
  'routine_paused',
  'routine_failed',
  'routine_stopped',
  'report_ready',
  'review_wanted',
  'watch_crossed',
  'watch_recovered',
  'connection_lost',
])
export type NoticeTopic = z.infer<typeof NoticeTopic>

/** What people are told of. `approval`: a call of theirs waits for them. `vote`: somebody else's call waits for them. */
export const NoticeEvent = z.enum(['approval', 'vote', ...NoticeTopic.options])
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
/** An address of one person. Nothing is sent to it but codes before it is verified. */
export const OwnChannel = z.strictObject({
  channel_id: Id,
  address: z.string(),
  verified_at: Timestamp.nullable(),
  ...delivered,
})
export type OwnChannel = z.infer<typeof OwnChannel>

export const NoticeSettings = z.strictObject({
  /** By mail: cards, */
  approval: z.boolean(),
  vote: z.boolean(),
  /** and notices, which come at once. */
  routines: z.boolean(),
  reports: z.boolean(),
  reviews: z.boolean(),
  watches: z.boolean(),
  /** Processes of an earlier version do not know it. */
  connections: z.boolean().optional(),
  /** Seconds that a card waits before a mail says so: whoever decides by then is left in peace. */
  wait_s: z.int().min(0).max(DAY_S),
  /** No mail from one time of day to another; it comes at the end. null: at any time. */
  quiet: z.strictObject({ from: Clock, to: Clock }).nullable(),
  /** IANA name of the zone of those times: `Europe/Berlin`. */
  zone: z.string().max(64),
})
export type NoticeSettings = z.infer<typeof NoticeSettings>

export const Delivery = z.strictObject({
  outbox_id: Id,
  event: NoticeEvent,
  /** The approval or the notice that it is about. */
  ref_id: Id,
  /** Where to: a shared channel, or a person's address. null: not known yet, as it is for a role. */
  channel: z.string().nullable(),
  /** Whom, if it is a person. */
  username: z.string().nullable(),
  /** `dropped`: it was decided, or no longer true, before anything was sent. `dead`: all attempts failed. */
  status: z.enum(['pending', 'sent', 'dropped', 'dead']),
  attempts: z.int(),
  problem: z.string().nullable(),
  due_at: Timestamp,
  done_at: Timestamp.nullable(),
})
export type Delivery = z.infer<typeof Delivery>

import type { ChannelKind, NoticeEvent, NoticeTopic } from '../../../contract/notification-values.ts'

/** Where messages go: a shared channel of an administrator's (`user_id` null), or an address of one person. */
export interface ChannelTable {
  channel_id: string
  user_id: string | null
  kind: ChannelKind | 'mail'
  /** A person's is called like its address. */
  name: string
  name_folded: string
  address: string
  account: string | null
  sender: string | null
  target: string | null
  /** Sealed for `channel:<channel_id>`. */
  secret_sealed: string | null
  secret_at: number | null
  internal: number
  language: string
  enabled: number
  /** Null: an address that nobody has confirmed, which gets nothing but a code. */
  verified_at: number | null
  /** HMAC of the code, until when it counts, and wrong ones so far. */
  code_hash: string | null
  code_until: number | null
  code_tries: number
  sent_at: number | null
  problem: string | null
  problem_at: number | null
  created_at: number
}

/** What a person wants to be told of by mail; no row: the defaults. */
export interface NoticeSettingTable {
  user_id: string
  approval: number
  vote: number
  routines: number
  reports: number
  reviews: number
  watches: number
  connections: number
  wait_s: number
  /** `HH:MM`; both or neither. */
  quiet_from: string | null
  quiet_to: string | null
  zone: string
}

export interface NoticeRuleTable {
  rule_id: string
  /** Cards of people of this role; null: of all. */
  role_id: string | null
  after_s: number
  channel_id: string | null
  to_role_id: string | null
}

/** What people are told, and that waits for no answer. */
export interface NoticeTable {
  notice_id: string
  event: NoticeTopic
  ref_id: string
  path: string
  name: string
  /** JSON: small facts by name. */
  detail: string
  /** Whose name and facts these are; they go with that person. */
  by_user: string | null
  dedupe_key: string
  created_at: number
}

/** Who is told of a notice in the pages. */
export interface NoticeReaderTable {
  user_id: string
  notice_id: string
  read_at: number | null
}

/** How many codes were sent for a person since a time of the database's. */
export interface CodeCountTable {
  user_id: string
  since: number
  codes: number
}

/** A message that is due at some time, inserted in the transaction that puts up the card or tells the notice. */
export interface OutboxTable {
  outbox_id: string
  event: NoticeEvent
  /** The approval or the notice. */
  ref_id: string
  /** Where to, or, until it is due, everybody of a role. */
  channel_id: string | null
  role_id: string | null
  due_at: number
  attempts: number
  status: 'pending' | 'sent' | 'dropped' | 'dead'
  problem: string | null
  /** One message of a kind, about one thing, to one place. */
  dedupe_key: string
  created_at: number
  done_at: number | null
}

import type { ChannelKind, NoticeEvent } from '../../../contract/notification-values.ts'

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

/** A message that is due at some time, inserted in the transaction that puts up the card. */
export interface OutboxTable {
  outbox_id: string
  event: NoticeEvent
  /** The approval. */
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

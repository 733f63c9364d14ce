/** What a call changed at one place, as its tool reported it. */
export interface ChangeTable {
  change_id: string
  user_id: string
  /** May be gone by now. */
  conversation_id: string
  tool_call_id: string
  /** The machine: `local` is the one that Reeve runs on. */
  host: string
  /** What it was called then. */
  host_name: string
  module: string
  tool: string
  /** Title of the tool. */
  title: string
  /** What was changed, in the words of the module: the same text is the same thing. */
  target: string
  /** What people call it. */
  name: string
  /** SHA-256 in hexadecimal; null where there was nothing before, or is nothing after. */
  before_hash: string | null
  after_hash: string | null
  /** The bytes before, in base64; null if there were none, or they are not kept. */
  before: string | null
  /** Unified, with secrets masked; null where there is none to show. */
  diff: string | null
  /** The tool that takes it back, as it was named when it was made; null: nothing does. */
  undo_tool: string | null
  /** The change that this one took back. */
  undoes: string | null
  /** The call that took it back. */
  undone_by: string | null
  at: number
}
/** A conversation that is offered to another person, or was. */
export interface HandoverTable {
  handover_id: string
  conversation_id: string
  from_user: string
  to_user: string
  /** One that is `offered` has expired as soon as its time is over; the row says so once it is in the way. */
  status: 'offered' | 'accepted' | 'declined' | 'withdrawn' | 'expired'
  note: string | null
  /** What the person who accepted it was called then. */
  to_name: string | null
  /** The copy; it may be gone. */
  copy_id: string | null
  created_at: number
  expires_at: number
  closed_at: number | null
}

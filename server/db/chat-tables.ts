import type { Generated } from 'kysely'

export interface ConversationTable {
  conversation_id: string
  user_id: string
  folder_id: string | null
  title: string
  /** `none` until the first exchange, then `auto`, `user` once renamed. */
  title_source: 'none' | 'auto' | 'user'
  pinned: number
  /** End of the branch that is shown: the next message follows it. Null while there is none. */
  head_message_id: string | null
  created_at: number
  updated_at: number
  deleted_at: number | null
}
export interface FolderTable {
  folder_id: string
  user_id: string
  name: string
  name_folded: string
  created_at: number
}
/** What a sign-in or token has open. */
export interface ChatSessionTable {
  session_id: string
  user_id: string
  current_conversation_id: string | null
}
export interface MessageTable {
  message_id: string
  conversation_id: string
  /** What it follows; messages that follow the same one are alternatives. Null for a first message. */
  parent_id: string | null
  /** 1, 2, 3 … from the first message of its branch. */
  position: number
  role: 'user' | 'assistant'
  status: 'streaming' | 'waiting_approval' | 'complete' | 'cancelled' | 'failed' | 'interrupted'
  run_id: string | null
  created_at: number
}
export interface MessagePartTable {
  message_id: string
  part_index: number
  /** The step of the run that made it; 0 for a person's message. */
  step: number
  type: 'text' | 'reasoning' | 'tool_call' | 'file' | 'table' | 'citation' | 'notice'
  /** Text of `text` and `reasoning` parts, appended to while it streams; empty otherwise. */
  text: string
  /** What a `file` part attaches; null in every other part. */
  file_id: string | null
  /** JSON of everything else. */
  data: string
}
export interface RunTable {
  run_id: string
  conversation_id: string
  user_id: string
  session_id: string
  /** The token's scope as JSON, so that a run is never wider than what started it; null is "as wide as the user". */
  scope: string | null
  status: 'thinking' | 'acting' | 'waiting_approval' | 'done' | 'failed' | 'cancelled' | 'interrupted'
  /** Model steps taken so far. */
  step: number
  ai_mode: 'model' | 'direct'
  model: string | null
  input_message_id: string
  output_message_id: string
  idempotency_key: string | null
  request_hash: string
  /** Who drives it, until when, and how often that changed: every write of the driver carries the epoch. Null while nothing drives it. */
  lease_owner: string | null
  lease_expires_at: number | null
  epoch: number
  cancel_requested_at: number | null
  warning: string | null
  error_code: string | null
  error_detail: string | null
  input_tokens: number
  output_tokens: number
  cost_micros: number | null
  /** JSON: file ids, what the parsers said, what the model saw. */
  attachments: string
  created_at: number
  ended_at: number | null
}
export interface StepTable {
  step_id: string
  run_id: string
  step: number
  kind: 'model' | 'tools' | 'compaction'
  status: 'running' | 'done' | 'failed'
  /** JSON; for a compaction: the summary, and the position of the last message it covers. */
  output: string
  input_tokens: number
  output_tokens: number
  started_at: number
  ended_at: number | null
}
export interface ToolCallTable {
  tool_call_id: string
  run_id: string
  message_id: string
  part_index: number
  step: number
  /** The provider's id of the call. */
  call_id: string
  module: string
  tool: string
  title: string
  effect: 'read' | 'write' | 'destructive' | 'unknown'
  /** JSON object, exactly as asked for. */
  arguments: string
  arguments_hash: string
  definition_hash: string
  module_version: string
  /** What the policy said, and why (role, rule …): an approval holds only while this stays. */
  decision: 'allow' | 'ask' | 'deny'
  basis: string
  status: 'pending' | 'awaiting_approval' | 'running' | 'done' | 'denied' | 'failed' | 'cancelled' | 'unknown'
  /** What the model reads; null until it ended. */
  result_text: string | null
  /** Opaque JSON of the provider, handed back with the call. */
  provider: string
  started_at: number | null
  ended_at: number | null
}
export interface ApprovalTable {
  approval_id: string
  run_id: string
  conversation_id: string
  user_id: string
  /** `run`: the card for a run itself. `question`: what a running call asks. */
  kind: 'call' | 'run' | 'question'
  /** Null on the card for a run itself. */
  tool_call_id: string | null
  status: 'pending' | 'approved' | 'denied' | 'expired' | 'cancelled' | 'superseded'
  decision: 'approve' | 'approve_for_conversation' | 'deny' | null
  module: string
  tool: string
  title: string
  effect: 'read' | 'write' | 'destructive' | 'unknown'
  /** JSON object; of a question: what was answered. */
  arguments: string
  /** JSON of a question, as the contract has it; null on every other card. */
  question: string | null
  summary: string
  reason: string
  arguments_hash: string
  definition_hash: string
  module_version: string
  basis: string
  requested_at: number
  expires_at: number
  decided_at: number | null
  decided_by: string | null
  decision_reason: string | null
}
/** "Approve for this conversation": one tool, one definition, one conversation. */
export interface ApprovalGrantTable {
  grant_id: string
  conversation_id: string
  user_id: string
  module: string
  tool: string
  definition_hash: string
  basis: string
  approval_id: string
  created_at: number
}
export interface EventTable {
  id: Generated<number>
  user_id: string
  conversation_id: string | null
  run_id: string | null
  type: string
  /** JSON of the fields beside type, conversation_id, run_id and at. */
  data: string
  at: number
}
/** The newest event of a user that was deleted: who asks for events after an older one gets `reset`. */
export interface EventHorizonTable {
  user_id: string
  event_id: number
}

import type { Generated, Selectable } from 'kysely'
import type { StartedBy } from '../known-runs.ts'

export interface ConversationTable {
  conversation_id: string
  user_id: string
  folder_id: string | null
  title: string
  /** `none` until the first message, then `auto`; `engine` once an engine has been asked, `user` once renamed. */
  title_source: 'none' | 'auto' | 'engine' | 'user'
  pinned: number
  /** The end of the branch shown: the next message follows it. Null while there is none. */
  head_message_id: string | null
  created_at: number
  updated_at: number
  /** When it was moved to the bin; 0 (GONE of chat): it is hidden from everyone, and its remains are being swept. */
  deleted_at: number | null
  /** When it was imported from a file; null for one that took place here. */
  imported_at: number | null
  /** What its owner chose to answer in it; null: the default engine. */
  engine_id: string | null
  model: string | null
  /** How many messages are queued in it, to be sent or held. */
  queued: number
  /** Since when it holds what others may have written; null while it doesn't. Never goes back. */
  untrusted_at: number | null
  /** JSON of an Untrusted without its time: what it was. */
  untrusted_by: string | null
  /** Since when somebody else has a copy to go on with, and this one is only read; null while it isn't. */
  handed_over_at: number | null
  /** `routine`: nobody was there when it began. `gateway`: one call of an MCP client; no list has it. */
  kind: 'chat' | 'routine' | 'gateway'
  /** JSON: the modules whose tools its engine may use; null: all. */
  tool_modules: string | null
  /** JSON of LoadedTool[]: tools that it has found or used, of more than its engine reads; null: it had to find none. */
  loaded_tools: string | null
}
/** A message that was written while a run was active; the row goes when it is sent. */
export interface QueuedMessageTable {
  queued_id: string
  conversation_id: string
  user_id: string
  /** Who wrote or last changed it, and will have sent it: a signed-in user, or a script with an access token. */
  session_id: string
  written_by: 'session' | 'token'
  /** Its place in the order of the conversation. */
  position: number
  /** Counts its changes: what is sent is what was judged. */
  version: number
  message: string
  /** JSON: the entries of its files. */
  attachments: string
  /** 1: it is sent only when its owner says so. */
  held: number
  /** Why it could not be sent, in the language of its owner; null unless it was refused. */
  problem_code: string | null
  problem_detail: string | null
  created_at: number
}
/** An import in progress, at most one per user. Its conversation is GONE until it is complete. */
export interface ConversationImportTable {
  user_id: string
  conversation_id: string
  /** Progress from 0 to 100. */
  percent: number
  started_at: number
  lease_owner: string
  lease_expires_at: number
}
export interface FolderTable {
  folder_id: string
  user_id: string
  name: string
  name_folded: string
  created_at: number
}
/** What a sign-in or token currently has open. */
export interface ChatSessionTable {
  session_id: string
  user_id: string
  current_conversation_id: string | null
}
export interface MessageTable {
  message_id: string
  conversation_id: string
  /** The preceding message; messages that follow the same one are alternatives. Null for a first message. */
  parent_id: string | null
  /** 1, 2, 3 … from the first message of its branch. */
  position: number
  role: 'user' | 'assistant'
  status: 'streaming' | 'waiting_approval' | 'complete' | 'cancelled' | 'failed' | 'interrupted'
  run_id: string | null
  created_at: number
  /** 1: it was imported, and nothing in it happened here. 2: it comes from a conversation that was handed over. */
  imported: Generated<number>
}
/** A message as it is read. */
export type MessageRow = Selectable<MessageTable>
export interface MessagePartTable {
  message_id: string
  part_index: number
  /** The step of the run that made it; 0 for a user's message. */
  step: number
  type: 'text' | 'reasoning' | 'tool_call' | 'file' | 'table' | 'citation' | 'facts' | 'notice'
  /** The text of `text` and `reasoning` parts, appended to while it streams; empty otherwise. */
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
  started_by: StartedBy
  /** The token's scope as JSON, so that a run is never wider than what started it; null is "as wide as the user". */
  scope: string | null
  status: 'thinking' | 'acting' | 'waiting_approval' | 'done' | 'failed' | 'cancelled' | 'interrupted'
  /** Model steps taken so far. */
  step: number
  ai_mode: 'model' | 'direct'
  model: string | null
  /** The engine that was asked for; null: the default. */
  engine_id: string | null
  /** The name of the engine that answered; null in direct mode. */
  engine: string | null
  input_message_id: string
  output_message_id: string
  idempotency_key: string | null
  request_hash: string
  /**
   * The driver, the end of its lease, and how often it changed: every write of the driver carries the epoch. Null while
   * nothing drives it.
   */
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
  /** JSON: file ids, what the parsers reported, what the model saw. */
  attachments: string
  /** The procedure that it carries out, and the values of its parameters as JSON; null: it answers a message. */
  procedure_id: string | null
  procedure_version: number | null
  procedure_values: string | null
  created_at: number
  ended_at: number | null
  /** JSON of RunBounds; null: nothing but what holds for every run. */
  bounds: string | null
  /** As its conversation had it when it began. */
  tool_modules: string | null
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
  /** JSON object as requested, with secrets of modules masked. */
  arguments: string
  /** Exactly as requested, if anything is masked; sealed. */
  arguments_sealed: string | null
  /** Name of the one that says what the call is about, if the tool names it. */
  main_argument: string | null
  /** JSON: what was mended of it, as in the contract; null: nothing. */
  repaired: string | null
  arguments_hash: string
  definition_hash: string
  module_version: string
  /** The policy's verdict and its reason (role, rule …): an approval holds only while this stays the same. */
  decision: 'allow' | 'ask' | 'deny'
  basis: string
  status: 'pending' | 'awaiting_approval' | 'running' | 'done' | 'denied' | 'failed' | 'cancelled' | 'unknown'
  /** What the model reads; null until the call has ended. */
  result_text: string | null
  /** JSON of a Verification: whether what it did was found afterwards; null where nothing looked. */
  verified: string | null
  /** Opaque JSON of the provider, handed back with the call. */
  provider: string
  /** 1: its conversation held what others may have written when the call was asked for. */
  untrusted: number
  /** JSON: the machines that it is about, by id and the name of then; null: none, or the one that Reeve runs on. */
  targets: string | null
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
  /** Empty on the card for a run itself, whose `tool` is the first permission that asks. */
  module: string
  tool: string
  title: string
  effect: 'read' | 'write' | 'destructive' | 'unknown'
  /** JSON object; of a question: the answer. */
  arguments: string
  /** As in the row of the call. */
  main_argument: string | null
  /** As in the row of the call. */
  repaired: string | null
  /** JSON of a question, as in the contract; null on every other card. */
  question: string | null
  summary: string
  reason: string
  arguments_hash: string
  definition_hash: string
  module_version: string
  basis: string
  /** As in the row of the call. */
  targets: string | null
  /** Of those machines and their pinned keys; empty for none, or the one that Reeve runs on. */
  bound_hash: string
  /** JSON of a Preview, with secrets masked; null where the tool offers none. */
  preview: string | null
  /** Of the whole preview as the module gave it; empty where there is none. */
  preview_hash: string
  /** JSON: what may be approved beyond this one call (chat/grants/offers). */
  offers: string
  /** JSON: what of that was taken, as in the decision; null: this call only. */
  granted: string | null
  /** JSON of an Untrusted: what its conversation had read by then; null if nothing. */
  untrusted: string | null
  requested_at: number
  expires_at: number
  decided_at: number | null
  decided_by: string | null
  decision_reason: string | null
  /** JSON: who must agree, as roles and how many of each, by role_id; `[]`: the person who asks decides. */
  needs: string
  /** JSON of what the card shows of that and of the votes, with names as they were then; null where nobody else votes. */
  voting: string | null
}
/**
 * What a decision allows beyond its one call, in one conversation: the same call again (`exact`), calls like it
 * (`pattern`), or a permission.
 */
export interface ApprovalGrantTable {
  grant_id: string
  user_id: string
  conversation_id: string
  kind: 'exact' | 'pattern' | 'permission'
  /** Empty for a permission, whose name is `tool`. */
  module: string
  tool: string
  definition_hash: string
  basis: string
  /** As `bound_hash` of its card: it covers calls about the same machines, as long as their keys are the same. */
  targets_hash: string
  /** Only of `exact`. */
  arguments_hash: string | null
  /** JSON of a Pattern; only of `pattern`. */
  spec: string | null
  /** How often it could be used, and still can; null for a permission. */
  uses: number | null
  uses_left: number | null
  /** Null for a permission: it lasts as long as the conversation. */
  expires_at: number | null
  revoked_at: number | null
  approval_id: string
  created_at: number
}
/** A call that a grant allowed, counted in the transaction that stored the call. */
export interface GrantUseTable {
  tool_call_id: string
  grant_id: string
}

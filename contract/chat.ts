import { z } from 'zod'
import { json, optionalJson, route } from './route.ts'
import { Cursor, Id, limit, NextCursor, Ok, Timestamp } from './values.ts'
import { FileEntry, FileRef } from './files.ts'

export const MESSAGE_LIMIT = 100_000
export const ATTACHMENT_LIMIT = 20
export const TITLE_LIMIT = 200
export const FOLDER_NAME_LIMIT = 80
export const ACTIVITY_EVENT_LIMIT = 8 * 1024

export const ToolEffect = z.enum(['read', 'write', 'destructive', 'unknown'])
export const RunStatus = z.enum(['thinking', 'acting', 'waiting_approval', 'done', 'failed', 'cancelled', 'interrupted'])
export type RunStatus = z.infer<typeof RunStatus>
/** `pending`: proposed, not started. `unknown`: it may have changed something, and nobody can tell. */
export const ToolCallStatus = z.enum([
  'pending',
  'awaiting_approval',
  'running',
  'done',
  'denied',
  'failed',
  'cancelled',
  'unknown',
])
export type ToolCallStatus = z.infer<typeof ToolCallStatus>
export const ApprovalStatus = z.enum(['pending', 'approved', 'denied', 'expired', 'cancelled', 'superseded'])
export const ApprovalDecision = z.enum(['approve', 'approve_for_conversation', 'deny'])

export const ToolCall = z.strictObject({
  tool_call_id: Id,
  module: z.string(),
  tool: z.string(),
  title: z.string(),
  effect: ToolEffect,
  status: ToolCallStatus,
  /** Milliseconds; null until it ended. */
  duration_ms: z.int().nullable(),
  /** As the model or the person gave them; control and invisible characters escaped, secrets masked. */
  arguments: z.record(z.string(), z.unknown()),
  /** The first 2,000 characters of the result (or of the error); null until it ended. */
  result_preview: z.string().nullable(),
})
export type ToolCall = z.infer<typeof ToolCall>

export const Approval = z.strictObject({
  approval_id: Id,
  conversation_id: Id,
  run_id: Id,
  status: ApprovalStatus,
  module: z.string(),
  tool: z.string(),
  title: z.string(),
  effect: ToolEffect,
  arguments: z.record(z.string(), z.unknown()),
  summary: z.string(),
  reason: z.string(),
  requested_at: Timestamp,
  expires_at: Timestamp,
  decisions: z.array(ApprovalDecision),
  decided_at: Timestamp.nullable(),
  decided_by: z.string().nullable(),
})
export type Approval = z.infer<typeof Approval>

export const CellType = z.enum(['text', 'integer', 'number', 'boolean', 'date', 'datetime', 'bytes', 'percent', 'duration'])
export const Column = z.strictObject({ key: z.string(), label: z.string(), type: CellType })
export const Cell = z.union([z.string(), z.number(), z.boolean(), z.null()])
export const Table = z.strictObject({
  title: z.string(),
  columns: z.array(Column),
  rows: z.array(z.record(z.string(), Cell)),
  /** How many rows there were; more than `rows` holds when it was cut. */
  total_rows: z.int(),
})
export type Table = z.infer<typeof Table>

/** `code` names the text in the message catalogues; `text` is the same in English, for programs. */
export const Notice = z.strictObject({
  level: z.enum(['info', 'warn', 'error']),
  code: z.string(),
  text: z.string(),
  detail: z.string().nullable(),
})
export type Notice = z.infer<typeof Notice>

const part = { index: z.int() }
export const Part = z.discriminatedUnion('type', [
  z.strictObject({ ...part, type: z.literal('text'), text: z.string() }),
  z.strictObject({ ...part, type: z.literal('reasoning'), text: z.string() }),
  z.strictObject({ ...part, type: z.literal('tool_call'), tool_call: ToolCall, approval: Approval.nullable() }),
  z.strictObject({ ...part, type: z.literal('file'), file: FileRef }),
  z.strictObject({ ...part, type: z.literal('table'), tool_call_id: Id.nullable(), table: Table }),
  z.strictObject({ ...part, type: z.literal('citation'), title: z.string(), href: z.string() }),
  z.strictObject({ ...part, type: z.literal('notice'), notice: Notice }),
])
export type Part = z.infer<typeof Part>

export const MessageStatus = z.enum(['streaming', 'waiting_approval', 'complete', 'cancelled', 'failed', 'interrupted'])
export const Message = z.strictObject({
  message_id: Id,
  role: z.enum(['user', 'assistant']),
  status: MessageStatus,
  parts: z.array(Part),
  created_at: Timestamp,
  run_id: Id.nullable(),
})
export type Message = z.infer<typeof Message>

export const FileParsing = z.strictObject({
  file_id: Id,
  name: z.string(),
  parser: z.string(),
  status: z.enum(['parsed', 'partial', 'unsupported', 'failed']),
  characters: z.int(),
  pages: z.int().optional(),
  sheets: z.int().optional(),
  detail: z.string().optional(),
})
export const AttachmentContext = z.strictObject({
  characters: z.int(),
  truncated: z.boolean(),
  items: z.array(z.strictObject({ file_id: Id, name: z.string(), characters: z.int(), truncated: z.boolean(), as: z.enum(['text', 'image', 'none']) })),
})

export const AiMode = z.enum(['model', 'direct'])
const resultFields = {
  answer: z.string(),
  generated_files: z.array(FileRef),
  tool_calls_executed: z.array(ToolCall),
  session_id: Id,
  conversation_id: Id,
  approvals: z.array(Approval),
  attachments: z.array(FileEntry),
  file_content_parsing: z.array(FileParsing),
  attachment_context: AttachmentContext,
}
export const ChatResult = z.union([
  z.strictObject({ ...resultFields, ai_mode: AiMode }),
  z.strictObject({ ...resultFields, cancelled: z.literal(true), warning: z.string().nullable() }),
])
export type ChatResult = z.infer<typeof ChatResult>

export const Folder = z.strictObject({ folder_id: Id, name: z.string() })
export const ConversationEntry = z.strictObject({
  conversation_id: Id,
  title: z.string(),
  folder_id: Id.nullable(),
  pinned: z.boolean(),
  created_at: Timestamp,
  updated_at: Timestamp,
  active_run: z.strictObject({ run_id: Id, status: RunStatus }).nullable(),
  /** Only with `q`: text around the first hit. */
  snippet: z.string().nullable(),
})
const conversationFields = {
  title: z.string().nullable(),
  messages: z.array(Message),
  approvals: z.array(Approval),
  /** Give it as `before` for the messages before these; null when there are none. */
  next_before: Id.nullable(),
}

export const ACTIVITY_TYPES = [
  'run.started',
  'run.delta',
  'run.waiting',
  'run.completed',
  'run.failed',
  'run.cancelled',
  'run.interrupted',
  'tool.started',
  'tool.progress',
  'tool.finished',
  'approval.requested',
  'approval.decided',
  'conversation.updated',
  'conversation.deleted',
  'file.created',
  'module.changed',
] as const
/**
 * What happened. Fields by type, beside the common ones:
 * `run.started` {message_id (the person's), answer_id} · `run.delta` {message_id, index, part: text|reasoning, from, text}
 * (`from` counts UTF-16 units of the part before this text) · `run.failed` {code} · `tool.*` {message_id, tool_call_id, module,
 * tool, status?, progress?} · `approval.*` {approval_id, status} · `conversation.updated` {title?} · `file.created` {file_id}.
 */
export const ActivityEvent = z.looseObject({
  id: z.int(),
  type: z.enum(ACTIVITY_TYPES),
  conversation_id: Id.optional(),
  run_id: Id.optional(),
  at: Timestamp,
})
export type ActivityEvent = z.infer<typeof ActivityEvent>
export const ActivitySnapshot = z.strictObject({
  events: z.array(ActivityEvent),
  active: z.int(),
  cancellable: z.boolean(),
  /** Unix milliseconds. */
  server_time: z.int(),
  /** Id of the newest event of the caller at this moment: what `?after=` takes. */
  cursor: z.int(),
})
export type ActivitySnapshot = z.infer<typeof ActivitySnapshot>

export const ToolEntry = z.strictObject({
  module: z.string(),
  tool: z.string(),
  title: z.string(),
  description: z.string(),
  effect: ToolEffect,
  /** What the policy says for the caller now; denied tools are not listed. */
  policy: z.enum(['allow', 'ask']),
  input_schema: z.record(z.string(), z.unknown()),
})
export type ToolEntry = z.infer<typeof ToolEntry>

export const RunDetails = z.strictObject({
  run_id: Id,
  conversation_id: Id,
  status: RunStatus,
  ai_mode: AiMode,
  model: z.string().nullable(),
  steps: z.int(),
  input_tokens: z.int(),
  output_tokens: z.int(),
  /** Millionths of the currency that the prices are given in; null when no price is set. */
  cost_micros: z.int().nullable(),
  started_at: Timestamp,
  ended_at: Timestamp.nullable(),
  error_code: z.string().nullable(),
  attachments: z.array(FileEntry),
  file_content_parsing: z.array(FileParsing),
  attachment_context: AttachmentContext,
})

const Wait = z.object({ prefer: z.string().max(200).optional() })
const ConversationParams = z.object({ conversation_id: Id })
const Page = z.object({ before: Id.optional(), limit: limit(50) })

export const chat = {
  activity: route({
    method: 'GET',
    path: '/api/chat/activity',
    summary: 'Snapshot of my recent events and active runs',
    access: 'session',
    response: json(ActivitySnapshot),
    errors: [],
  }),
  activityStream: route({
    method: 'GET',
    path: '/api/chat/activity/stream',
    summary: 'My events as they happen (server-sent events); resumes after Last-Event-ID or ?after=',
    access: 'session',
    query: z.object({ after: z.coerce.number().int().min(0).optional() }),
    headers: z.object({ 'last-event-id': z.string().max(30).optional() }),
    response: { kind: 'events', schema: z.union([ActivityEvent, ActivitySnapshot]) },
    errors: [],
  }),
  history: route({
    method: 'GET',
    path: '/api/chat/history',
    summary: 'The current conversation of my chat session',
    access: 'session',
    query: Page,
    response: json(z.strictObject({ session_id: Id, conversation_id: Id.nullable(), ...conversationFields })),
    errors: [],
  }),
  listConversations: route({
    method: 'GET',
    path: '/api/chat/conversations',
    summary: 'My conversations, newest first; q finds them by title and text',
    access: 'session',
    query: z.object({
      q: z.string().max(200).default(''),
      limit: limit(50),
      cursor: Cursor,
      folder_id: Id.optional(),
      deleted: z.enum(['true', 'false']).default('false'),
    }),
    response: json(
      z.strictObject({
        items: z.array(ConversationEntry),
        folders: z.array(Folder),
        query: z.string(),
        current_conversation_id: Id.nullable(),
        next_cursor: NextCursor,
      }),
    ),
    errors: [],
  }),
  conversation: route({
    method: 'GET',
    path: '/api/chat/conversations/{conversation_id}',
    summary: 'Read a conversation without opening it',
    access: 'session',
    params: ConversationParams,
    query: Page,
    response: json(
      z.strictObject({
        conversation_id: Id,
        folder_id: Id.nullable(),
        pinned: z.boolean(),
        active_run: z.strictObject({ run_id: Id, status: RunStatus }).nullable(),
        ...conversationFields,
      }),
    ),
    errors: ['not_found'],
  }),
  message: route({
    method: 'GET',
    path: '/api/chat/conversations/{conversation_id}/messages/{message_id}',
    summary: 'One message as it stands now',
    access: 'session',
    params: z.object({ conversation_id: Id, message_id: Id }),
    response: json(z.strictObject({ message: Message })),
    errors: ['not_found'],
  }),
  updateConversation: route({
    method: 'PATCH',
    path: '/api/chat/conversations/{conversation_id}',
    summary: 'Rename or pin a conversation',
    access: 'session',
    params: ConversationParams,
    body: json(z.strictObject({ title: z.string().trim().min(1).max(TITLE_LIMIT).optional(), pinned: z.boolean().optional() })),
    response: json(z.strictObject({ ok: Ok, conversation_id: Id, title: z.string(), pinned: z.boolean() })),
    errors: ['not_found'],
  }),
  deleteConversation: route({
    method: 'DELETE',
    path: '/api/chat/conversations/{conversation_id}',
    summary: 'Put a conversation into the bin for 30 days',
    access: 'session',
    params: ConversationParams,
    response: json(z.strictObject({ ok: Ok, deleted: Id, current_conversation_id: Id.nullable() })),
    errors: ['not_found', 'run_active'],
  }),
  restoreConversation: route({
    method: 'POST',
    path: '/api/chat/conversations/{conversation_id}/restore',
    summary: 'Take a conversation out of the bin',
    access: 'session',
    params: ConversationParams,
    body: optionalJson(z.strictObject({})),
    response: json(z.strictObject({ ok: Ok, conversation_id: Id })),
    errors: ['not_found'],
  }),
  openConversation: route({
    method: 'POST',
    path: '/api/chat/conversations/{conversation_id}/open',
    summary: 'Make a conversation the current one of my chat session',
    access: 'session',
    params: ConversationParams,
    body: optionalJson(z.strictObject({})),
    response: json(z.strictObject({ ok: Ok, conversation_id: Id, ...conversationFields })),
    errors: ['not_found', 'run_active'],
  }),
  assignFolder: route({
    method: 'PATCH',
    path: '/api/chat/conversations/{conversation_id}/folder',
    summary: 'File a conversation in a folder; null unfiles it',
    access: 'session',
    params: ConversationParams,
    body: json(z.strictObject({ folder_id: Id.nullable() })),
    response: json(z.strictObject({ ok: Ok, conversation_id: Id, folder_id: Id.nullable() })),
    errors: ['not_found'],
  }),
  createFolder: route({
    method: 'POST',
    path: '/api/chat/folders',
    summary: 'Create a folder; names are unique, ignoring case',
    access: 'session',
    body: json(z.strictObject({ name: z.string().trim().min(1).max(FOLDER_NAME_LIMIT) })),
    response: json(z.strictObject({ ok: Ok, folder: Folder })),
    errors: ['folder_exists'],
  }),
  deleteFolder: route({
    method: 'DELETE',
    path: '/api/chat/folders/{folder_id}',
    summary: 'Delete a folder; its conversations are unfiled, none is deleted',
    access: 'session',
    params: z.object({ folder_id: Id }),
    response: json(z.strictObject({ ok: Ok, deleted: Id })),
    errors: ['not_found'],
  }),
  send: route({
    method: 'POST',
    path: '/api/chat',
    summary: 'Send a message; answers when the run rests, or at once with 202 for Prefer: respond-async',
    access: 'session',
    permissions: ['codex.use', 'files.read'],
    onAsk: 'card',
    headers: Wait.extend({ 'idempotency-key': z.string().min(1).max(200).optional() }),
    body: json(
      z.strictObject({
        message: z.string().max(MESSAGE_LIMIT).refine((text) => text.trim() !== '', { message: 'must not be empty' }),
        attachment_ids: z.array(Id).max(ATTACHMENT_LIMIT).optional(),
        /** Left out: the current conversation of the chat session. null: a new one. */
        conversation_id: Id.nullable().optional(),
      }),
    ),
    response: {
      kind: 'accepted',
      schema: ChatResult,
      accepted: z.strictObject({ run_id: Id, conversation_id: Id }),
    },
    errors: ['forbidden', 'not_found', 'run_active', 'idempotency_mismatch', 'run_failed', 'ai_unavailable'],
    rateLimit: 600,
  }),
  cancel: route({
    method: 'POST',
    path: '/api/chat/cancel',
    summary: 'Stop my active runs, or those of one conversation',
    access: 'session',
    body: optionalJson(z.strictObject({ conversation_id: Id.optional() })),
    response: json(
      z.strictObject({ ok: Ok, cancelled: z.boolean(), cancelled_count: z.int(), warning: z.string().nullable() }),
    ),
    errors: [],
  }),
  reset: route({
    method: 'POST',
    path: '/api/chat/reset',
    summary: 'Start a new empty conversation and make it the current one',
    access: 'session',
    body: optionalJson(z.strictObject({})),
    response: json(z.strictObject({ ok: Ok, reset: z.literal(true), conversation_id: Id })),
    errors: ['run_active'],
  }),
  listApprovals: route({
    method: 'GET',
    path: '/api/chat/approvals',
    summary: 'My approval cards, newest first',
    access: 'session',
    query: z.object({ status: ApprovalStatus.optional(), limit: limit(50), cursor: Cursor }),
    response: json(z.strictObject({ items: z.array(Approval), next_cursor: NextCursor })),
    errors: [],
  }),
  decideApproval: route({
    method: 'POST',
    path: '/api/chat/approvals/{approval_id}',
    summary: 'Decide an approval card; result is the chat result once the run rests again (null with Prefer: respond-async)',
    access: 'session',
    params: z.object({ approval_id: Id }),
    headers: Wait,
    body: json(z.strictObject({ decision: ApprovalDecision, reason: z.string().max(1000).optional() })),
    response: json(z.strictObject({ ok: Ok, approval: Approval, result: ChatResult.nullable() })),
    errors: ['not_found', 'already_decided', 'approval_expired', 'approval_closed'],
  }),
  listTools: route({
    method: 'GET',
    path: '/api/chat/tools',
    summary: 'Every tool that I may use, and which engine answers',
    access: 'session',
    response: json(z.strictObject({ ai_mode: AiMode, model: z.string().nullable(), items: z.array(ToolEntry) })),
    errors: [],
  }),
  listRuns: route({
    method: 'GET',
    path: '/api/chat/runs',
    summary: 'My active runs, oldest first',
    access: 'session',
    response: json(
      z.strictObject({
        items: z.array(
          z.strictObject({ run_id: Id, conversation_id: Id, title: z.string(), status: RunStatus, started_at: Timestamp }),
        ),
      }),
    ),
    errors: [],
  }),
  run: route({
    method: 'GET',
    path: '/api/chat/runs/{run_id}',
    summary: 'A run: status, tokens, cost, and what the model saw of the attachments',
    access: 'session',
    params: z.object({ run_id: Id }),
    response: json(RunDetails),
    errors: ['not_found'],
  }),
}

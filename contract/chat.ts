import { z } from 'zod'
import { json, optionalJson, route } from './route.ts'
import { Cursor, Id, limit, NextCursor, Ok } from './values.ts'
import { ActivityEvent, ActivitySnapshot } from './activity.ts'
import { FileEntry, FileRef } from './files.ts'
import { conversations } from './conversations.ts'
import { EngineChoice, engineChoices } from './engine-choice.ts'
import { ATTACHMENT_LIMIT, MESSAGE_LIMIT } from './message-limits.ts'
import { prompts } from './prompts.ts'
import { resources } from './resources.ts'
import { queue } from './queue.ts'
import { AiMode, AttachmentContext, FileParsing, runs } from './runs.ts'
import { Grant, GrantWanted } from './grants.ts'
import { AnswerContent } from './questions.ts'
import { changes } from './changes.ts'
import { handovers } from './handovers.ts'
import { votes } from './votes.ts'
import { Approval, ApprovalDecision, ApprovalStatus, ToolCall, ToolEffect } from './messages.ts'
import { ToolModules } from './tool-modules.ts'

export * from './activity.ts'
export * from './changes.ts'
export * from './conversations.ts'
export * from './grants.ts'
export * from './message-limits.ts'
export * from './messages.ts'
export * from './queue.ts'
export * from './questions.ts'
export * from './runs.ts'
export * from './handovers.ts'
export * from './votes.ts'

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
  /** `engine` and `model`: what answered; null in direct mode. */
  z.strictObject({ ...resultFields, ai_mode: AiMode, engine: z.string().nullable(), model: z.string().nullable() }),
  z.strictObject({ ...resultFields, cancelled: z.literal(true), warning: z.string().nullable() }),
])
export type ChatResult = z.infer<typeof ChatResult>

/** The missed events no longer exist: discard what is shown and start again from the snapshot that follows. */
export const ActivityReset = z.strictObject({ type: z.literal('reset') })
/** The last event of a stream that newer ones of the same person replace: do not reconnect automatically. */
export const ActivityEnd = z.strictObject({ type: z.literal('end'), reason: z.literal('too_many_streams') })

export const ToolEntry = z.strictObject({
  module: z.string(),
  /** Of the module, for a reader. */
  module_title: z.string().optional(),
  tool: z.string(),
  title: z.string(),
  description: z.string(),
  effect: ToolEffect,
  /** The policy's current effect for the caller; denied tools are not listed. */
  policy: z.enum(['allow', 'ask']),
  /** What its definition takes of an engine's context, about. */
  tokens: z.int(),
  input_schema: z.record(z.string(), z.unknown()),
})
export type ToolEntry = z.infer<typeof ToolEntry>

const Wait = z.object({ prefer: z.string().max(200).optional() })

/** How a route that starts a run answers: with its result once the run rests, or at once. */
const RUN_ANSWER = {
  response: {
    kind: 'accepted',
    schema: ChatResult,
    accepted: z.strictObject({ run_id: Id, conversation_id: Id }),
  },
  errors: [
    'handed_over',
    'forbidden',
    'not_found',
    'run_active',
    'procedure_not_reviewed',
    'idempotency_mismatch',
    'quota_used_up',
    'run_failed',
    'ai_unavailable',
  ],
  rateLimit: 600,
} as const

export const chat = {
  activity: route({
    method: 'GET',
    path: '/api/chat/activity',
    summary: 'Snapshot of my recent events and active runs',
    access: 'session',
    tokenNeeds: 'conversations.read',
    response: json(ActivitySnapshot),
    errors: [],
  }),
  activityStream: route({
    method: 'GET',
    path: '/api/chat/activity/stream',
    summary:
      'My events as they happen (server-sent events); resumes after Last-Event-ID or ?after=. Beyond 10 streams of a sign-in or 50 of a user the oldest ends with an event `end`',
    access: 'session',
    tokenNeeds: 'conversations.read',
    query: z.object({ after: z.coerce.number().int().min(0).optional() }),
    headers: z.object({ 'last-event-id': z.string().max(30).optional() }),
    response: { kind: 'events', schema: z.union([ActivityEvent, ActivitySnapshot, ActivityReset, ActivityEnd]) },
    errors: [],
  }),
  ...conversations,
  ...engineChoices,
  ...prompts,
  ...resources,
  ...queue,
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
        message: z
          .string()
          .max(MESSAGE_LIMIT)
          .refine((text) => text.trim() !== '', { message: 'must not be empty' }),
        attachment_ids: z.array(Id).max(ATTACHMENT_LIMIT).optional(),
        /** Omitted: the current conversation of the chat session. null: a new one. */
        conversation_id: Id.nullable().optional(),
        /** A person's message in that conversation, to which this one becomes an alternative on a branch of its own. */
        edits: Id.optional(),
        /** What answers in this conversation from now on; null: the default. Omitted: as before. */
        engine: EngineChoice.nullable().optional(),
        /** The modules whose tools that may use from now on; null: all. Omitted: as before. */
        modules: ToolModules.nullable().optional(),
      }),
    ),
    ...RUN_ANSWER,
    errors: [...RUN_ANSWER.errors, 'engine_not_allowed'],
  }),
  retry: route({
    method: 'POST',
    path: '/api/chat/retry',
    summary: 'Answer a message again: a new answer beside those that are there; answers as POST /api/chat does',
    access: 'session',
    permissions: ['codex.use', 'files.read'],
    onAsk: 'card',
    headers: Wait.extend({ 'idempotency-key': z.string().min(1).max(200).optional() }),
    body: json(z.strictObject({ conversation_id: Id, message_id: Id })),
    ...RUN_ANSWER,
  }),
  cancel: route({
    method: 'POST',
    path: '/api/chat/cancel',
    summary: 'Stop my active runs, or those of one conversation',
    access: 'session',
    tokenNeeds: 'conversations.write',
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
    tokenNeeds: 'conversations.write',
    body: optionalJson(z.strictObject({})),
    response: json(z.strictObject({ ok: Ok, reset: z.literal(true), conversation_id: Id })),
    errors: ['run_active'],
  }),
  listApprovals: route({
    method: 'GET',
    path: '/api/chat/approvals',
    summary: 'My approval cards, newest first',
    access: 'session',
    tokenNeeds: 'conversations.read',
    revised: true,
    query: z.object({ status: ApprovalStatus.optional(), limit: limit(50), cursor: Cursor }),
    response: json(z.strictObject({ items: z.array(Approval), next_cursor: NextCursor })),
    errors: [],
  }),
  decideApproval: route({
    method: 'POST',
    path: '/api/chat/approvals/{approval_id}',
    summary:
      'Decide an approval card, or answer a question; result is the chat result once the run rests again (null with Prefer: respond-async)',
    access: 'session',
    sessionOnly: true,
    params: z.object({ approval_id: Id }),
    headers: Wait,
    body: json(
      z.strictObject({
        decision: ApprovalDecision,
        reason: z.string().max(1000).optional(),
        /** The values for the form of a question; only with `approve`. */
        content: AnswerContent.optional(),
        /** Something that the card offers beyond its one call; only with `approve`. */
        grant: GrantWanted.optional(),
      }),
    ),
    response: json(z.strictObject({ ok: Ok, approval: Approval, result: ChatResult.nullable() })),
    errors: [
      'not_found',
      'already_decided',
      'grant_not_offered',
      'approval_expired',
      'approval_closed',
      'forbidden',
      'quota_used_up',
      'run_failed',
      'ai_unavailable',
    ],
  }),
  listGrants: route({
    method: 'GET',
    path: '/api/chat/grants',
    summary: 'My approvals that still count for later calls, newest first',
    access: 'session',
    tokenNeeds: 'conversations.read',
    response: json(z.strictObject({ items: z.array(Grant) })),
    errors: [],
  }),
  revokeGrant: route({
    method: 'DELETE',
    path: '/api/chat/grants/{grant_id}',
    summary: 'End such an approval',
    access: 'session',
    tokenNeeds: 'conversations.write',
    params: z.object({ grant_id: Id }),
    response: json(z.strictObject({ ok: Ok, revoked: Id })),
    errors: ['not_found'],
  }),
  listTools: route({
    method: 'GET',
    path: '/api/chat/tools',
    summary: 'Every tool that I may use, and which engine answers',
    access: 'session',
    tokenNeeds: 'conversations.read',
    response: json(z.strictObject({ ai_mode: AiMode, model: z.string().nullable(), items: z.array(ToolEntry) })),
    errors: [],
  }),
  ...runs,
  ...changes,
  ...votes,
  ...handovers,
}

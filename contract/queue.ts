import { z } from 'zod'
import { FileEntry } from './files.ts'
import { json, optionalJson, route } from './route.ts'
import { Id, Ok, Timestamp } from './values.ts'
import { ATTACHMENT_LIMIT, MESSAGE_LIMIT } from './message-limits.ts'

/** Messages that can be queued in one conversation. */
export const QUEUE_LIMIT = 10

export const QueuedMessage = z.strictObject({
  queued_id: Id,
  conversation_id: Id,
  message: z.string(),
  attachments: z.array(FileEntry),
  /** It is not sent by itself: the run before it was stopped or failed, or the message was refused. */
  held: z.boolean(),
  /** Why it was refused when it was its turn. */
  problem: z.strictObject({ code: z.string(), detail: z.string() }).nullable(),
  created_at: Timestamp,
})
export type QueuedMessage = z.infer<typeof QueuedMessage>

const OfConversation = z.object({ conversation_id: Id })
const OfMessage = z.object({ conversation_id: Id, queued_id: Id })
const Text = z
  .string()
  .max(MESSAGE_LIMIT)
  .refine((text) => text.trim() !== '', { message: 'must not be empty' })

/** Messages written while a run is active. */
export const queue = {
  listQueued: route({
    method: 'GET',
    path: '/api/chat/conversations/{conversation_id}/queue',
    summary: 'The queued messages of a conversation, in the order in which they are sent',
    access: 'session',
    tokenNeeds: 'conversations.read',
    revised: true,
    params: OfConversation,
    response: json(z.strictObject({ items: z.array(QueuedMessage) })),
    errors: ['not_found'],
  }),
  queueMessage: route({
    method: 'POST',
    path: '/api/chat/conversations/{conversation_id}/queue',
    summary:
      'Queue a message: it is sent, as by POST /api/chat, once the run is done; after one that was stopped or failed it is held. At most 10 in a conversation',
    access: 'session',
    permissions: ['codex.use', 'files.read'],
    onAsk: 'card',
    params: OfConversation,
    headers: z.object({ 'idempotency-key': z.string().min(1).max(200).optional() }),
    body: json(z.strictObject({ message: Text, attachment_ids: z.array(Id).max(ATTACHMENT_LIMIT).optional() })),
    response: json(z.strictObject({ ok: Ok, queued: QueuedMessage })),
    errors: ['forbidden', 'not_found', 'handed_over', 'queue_full', 'queued_sent', 'idempotency_mismatch'],
    rateLimit: 600,
  }),
  editQueued: route({
    method: 'PATCH',
    path: '/api/chat/conversations/{conversation_id}/queue/{queued_id}',
    summary: 'Change the text of a queued message; one that was refused is still held',
    access: 'session',
    tokenNeeds: 'conversations.write',
    params: OfMessage,
    body: json(z.strictObject({ message: Text })),
    response: json(z.strictObject({ ok: Ok, queued: QueuedMessage })),
    errors: ['not_found', 'queued_sent'],
  }),
  moveQueued: route({
    method: 'POST',
    path: '/api/chat/conversations/{conversation_id}/queue/{queued_id}/move',
    summary: 'Move a queued message before another one of its conversation, or to the end (null)',
    access: 'session',
    tokenNeeds: 'conversations.write',
    params: OfMessage,
    body: json(z.strictObject({ before: Id.nullable() })),
    response: json(z.strictObject({ ok: Ok, items: z.array(QueuedMessage) })),
    errors: ['not_found', 'queued_sent'],
  }),
  removeQueued: route({
    method: 'DELETE',
    path: '/api/chat/conversations/{conversation_id}/queue/{queued_id}',
    summary: 'Remove a queued message',
    access: 'session',
    tokenNeeds: 'conversations.write',
    params: OfMessage,
    response: json(z.strictObject({ ok: Ok, removed: Id })),
    errors: ['not_found', 'queued_sent'],
  }),
  sendQueued: route({
    method: 'POST',
    path: '/api/chat/conversations/{conversation_id}/queue/{queued_id}/send',
    summary: 'Send a queued message now; while a run is active it is no longer held, and run_id is null',
    access: 'session',
    permissions: ['codex.use', 'files.read'],
    onAsk: 'card',
    params: OfMessage,
    body: optionalJson(z.strictObject({})),
    response: json(z.strictObject({ ok: Ok, conversation_id: Id, run_id: Id.nullable() })),
    errors: ['forbidden', 'not_found', 'handed_over', 'queued_sent', 'quota_used_up', 'ai_unavailable'],
    rateLimit: 600,
  }),
}

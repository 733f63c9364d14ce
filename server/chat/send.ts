import type { Caller, Permission } from '../../contract/route.ts'
import type { FileEntry } from '../../contract/files.ts'
import type { Trx } from '../db/database.ts'
import type { RunTable } from '../db/chat-tables.ts'
import { AppError } from '../kernel/app-error.ts'
import { hashOf } from '../kernel/canonical.ts'
import { newId } from '../kernel/id.ts'
import { activeRun } from './active-runs.ts'
import { askForRun, notGranted } from './approval-cards.ts'
import type { ChatSessions } from './chat-sessions.ts'
import type { RunAttachments } from './chat-result.ts'
import type { Conversations } from './conversations.ts'
import { addParts } from './parts.ts'
import type { RunPorts } from './run-ports.ts'

export interface SendRequest {
  readonly message: string
  readonly attachment_ids: readonly string[]
  /** undefined: the current conversation; null: a new one. */
  readonly conversation_id: string | null | undefined
  readonly idempotency_key: string | null
  /** Permissions of the message that ask for approval. */
  readonly asks: readonly Permission[]
}

/**
 * Stores a message with the reserved answer and the run between them, in one transaction: whatever happens after it,
 * nothing that was acknowledged is lost. A retry with the same idempotency key gets the run that is there already.
 * @throws {AppError} not_found, run_active, idempotency_mismatch
 */
export async function storeMessage(
  ports: RunPorts,
  conversations: Conversations,
  sessions: ChatSessions,
  caller: Caller,
  request: SendRequest,
): Promise<{ run_id: string; conversation_id: string; fresh: boolean }> {
  const { db } = ports
  const { message, attachment_ids, conversation_id: target } = request
  const request_hash = hashOf({ message, attachment_ids, conversation_id: target ?? null })
  const known = await findRetry(ports, caller, request.idempotency_key, request_hash)
  if (known) return known
  const files = await ports.attachments.entries(caller.user_id, attachment_ids)
  try {
    return await db.transaction(async (trx) => {
      const conversation_id = await chooseConversation(trx, conversations, sessions, caller, target)
      return store(trx, ports, conversations, caller, request, { conversation_id, request_hash, files })
    })
  } catch (error) {
    if (!db.isUniqueViolation(error)) throw error
    // Either the retry was as fast as we, or another message has the conversation.
    const retry = await findRetry(ports, caller, request.idempotency_key, request_hash)
    if (retry) return retry
    throw runActive()
  }
}

async function findRetry(ports: RunPorts, caller: Caller, key: string | null, request_hash: string) {
  if (key === null) return null
  const run = await ports.db.read
    .selectFrom('run')
    .select(['run_id', 'conversation_id', 'request_hash'])
    .where('user_id', '=', caller.user_id)
    .where('idempotency_key', '=', key)
    .executeTakeFirst()
  if (!run) return null
  if (run.request_hash !== request_hash) {
    throw new AppError('idempotency_mismatch', 'This Idempotency-Key was used for another message. Make a new one.')
  }
  return { run_id: run.run_id, conversation_id: run.conversation_id, fresh: false }
}

async function chooseConversation(
  trx: Trx,
  conversations: Conversations,
  sessions: ChatSessions,
  caller: Caller,
  target: string | null | undefined,
): Promise<string> {
  if (typeof target === 'string') return (await conversations.find(trx, caller.user_id, target)).conversation_id
  const current = target === undefined ? await sessions.current(trx, caller) : null
  if (current !== null) return current
  const created = await conversations.create(trx, caller.user_id)
  await sessions.setCurrent(trx, caller, created)
  return created
}

async function store(
  trx: Trx,
  ports: RunPorts,
  conversations: Conversations,
  caller: Caller,
  request: SendRequest,
  about: { conversation_id: string; request_hash: string; files: FileEntry[] },
): Promise<{ run_id: string; conversation_id: string; fresh: boolean }> {
  const { conversation_id, files } = about
  const now = Date.now()
  if (await activeRun(trx, conversation_id)) throw runActive()
  const conversation = await trx
    .updateTable('conversation')
    .set((eb) => ({ last_position: eb('last_position', '+', 2), updated_at: now }))
    .where('conversation_id', '=', conversation_id)
    .returningAll()
    .executeTakeFirstOrThrow()
  const run_id = newId('run')
  const input_message_id = newId('message')
  const output_message_id = newId('message')
  const asks = await notGranted(trx, conversation_id, caller.user_id, request.asks)
  const status = asks.length > 0 ? 'waiting_approval' : 'thinking'
  const engine = ports.model.choose(request.message)
  const run: RunTable = {
    run_id,
    conversation_id,
    user_id: caller.user_id,
    session_id: caller.session_id,
    scope: caller.scope === null ? null : JSON.stringify(caller.scope),
    status,
    step: 0,
    ai_mode: engine.ai_mode,
    model: engine.model,
    input_message_id,
    output_message_id,
    idempotency_key: request.idempotency_key,
    request_hash: about.request_hash,
    lease_owner: null,
    lease_expires_at: null,
    epoch: 0,
    cancel_requested_at: null,
    warning: null,
    error_code: null,
    error_detail: null,
    input_tokens: 0,
    output_tokens: 0,
    cost_micros: null,
    attachments: JSON.stringify({ files } satisfies RunAttachments),
    created_at: now,
    ended_at: null,
  }
  await trx.insertInto('run').values(run).execute()
  const position = conversation.last_position
  const common = { conversation_id, run_id, created_at: now }
  await trx
    .insertInto('message')
    .values([
      { ...common, message_id: input_message_id, position: position - 1, role: 'user', status: 'complete' },
      {
        ...common,
        message_id: output_message_id,
        position,
        role: 'assistant',
        status: asks.length > 0 ? 'waiting_approval' : 'streaming',
      },
    ])
    .execute()
  await addParts(trx, input_message_id, 0, [
    { type: 'text', text: request.message, data: {} },
    ...files.map(({ file_id, name, media_type, size, extension }) => ({
      type: 'file' as const,
      data: { file_id, name, media_type, size, extension },
      find: name,
    })),
  ])
  const title = await conversations.nameAfter(trx, conversation, request.message)
  const card =
    asks.length > 0
      ? [
          await askForRun(
            trx,
            run,
            asks,
            `A rule of your role asks before ${asks.join(' and ')} is used.`,
            ports.limits.approvalLife,
          ),
        ]
      : []
  const of = { conversation_id, run_id }
  await ports.activity.append(trx, caller.user_id, [
    { type: 'conversation.updated', conversation_id, data: { title } },
    { type: 'run.started', ...of, data: { message_id: input_message_id, answer_id: output_message_id } },
    ...card,
    ...(card.length > 0 ? [{ type: 'run.waiting' as const, ...of, data: { message_id: output_message_id } }] : []),
  ])
  return { run_id, conversation_id, fresh: true }
}

function runActive(): AppError {
  return new AppError(
    'run_active',
    'A run is active in this conversation. Wait for it, decide its approvals, or stop it.',
  )
}

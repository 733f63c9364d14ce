import type { FileEntry } from '../../contract/files.ts'
import type { Caller, Permission } from '../../contract/route.ts'
import type { RunTable } from '../db/chat-tables.ts'
import type { Trx } from '../db/database.ts'
import { newId } from '../kernel/id.ts'
import { askForRun, notGranted } from './approval-cards.ts'
import type { RunAttachments } from './chat-result.ts'
import type { RunPorts } from './run-ports.ts'
import { LEASE } from './run-store.ts'
import type { OpenedRun } from './run-once.ts'

export interface RunRequest {
  readonly conversation_id: string
  /** The person's message that is answered, and its place in the branch. */
  readonly input: { readonly message_id: string; readonly position: number; readonly text: string }
  readonly files: FileEntry[]
  readonly idempotency_key: string | null
  readonly request_hash: string
  /** Permissions that ask for approval before the run may begin. */
  readonly asks: readonly Permission[]
}

/**
 * Reserves the answer to a message and opens the run that makes it; the answer becomes the end of the shown branch. The
 * activity tells it as the last statement of the transaction, together with `title`, where it changed.
 */
export async function openRun(
  trx: Trx,
  ports: RunPorts,
  caller: Caller,
  request: RunRequest,
  title: string,
): Promise<OpenedRun> {
  const { conversation_id, input } = request
  const now = Date.now()
  const run_id = newId('run')
  const output_message_id = newId('message')
  const asks = await notGranted(trx, conversation_id, caller.user_id, request.asks)
  const waits = asks.length > 0
  const engine = ports.model.choose(input.text)
  const run: RunTable = {
    run_id,
    conversation_id,
    user_id: caller.user_id,
    session_id: caller.session_id,
    scope: caller.scope === null ? null : JSON.stringify(caller.scope),
    status: waits ? 'waiting_approval' : 'thinking',
    step: 0,
    ai_mode: engine.ai_mode,
    model: engine.model,
    input_message_id: input.message_id,
    output_message_id,
    idempotency_key: request.idempotency_key,
    request_hash: request.request_hash,
    // Taken at once by this process, unless a card comes first.
    lease_owner: waits ? null : ports.owner,
    lease_expires_at: waits ? null : now + LEASE,
    epoch: waits ? 0 : 1,
    cancel_requested_at: null,
    warning: null,
    error_code: null,
    error_detail: null,
    input_tokens: 0,
    output_tokens: 0,
    cost_micros: null,
    attachments: JSON.stringify({ files: request.files } satisfies RunAttachments),
    created_at: now,
    ended_at: null,
  }
  await trx.insertInto('run').values(run).execute()
  await trx
    .insertInto('message')
    .values({
      message_id: output_message_id,
      conversation_id,
      parent_id: input.message_id,
      position: input.position + 1,
      role: 'assistant',
      status: waits ? 'waiting_approval' : 'streaming',
      run_id,
      created_at: now,
    })
    .execute()
  // A message names the run that answered it first.
  await trx
    .updateTable('message')
    .set({ run_id })
    .where('message_id', '=', input.message_id)
    .where('run_id', 'is', null)
    .execute()
  await trx
    .updateTable('conversation')
    .set({ head_message_id: output_message_id, updated_at: now })
    .where('conversation_id', '=', conversation_id)
    .execute()
  if (engine.model !== null) await ports.usage.message(trx, caller, engine.model)
  const reason = `A rule of your role asks before ${asks.join(' and ')} is used.`
  const card = waits ? [await askForRun(trx, run, asks, reason, ports.limits.approvalLife)] : []
  const of = { conversation_id, run_id }
  await ports.activity.append(trx, caller.user_id, [
    { type: 'conversation.updated', conversation_id, data: { title } },
    { type: 'run.started', ...of, data: { message_id: input.message_id, answer_id: output_message_id } },
    ...card,
    ...(waits ? [{ type: 'run.waiting' as const, ...of, data: { message_id: output_message_id } }] : []),
  ])
  return { run_id, conversation_id, epoch: waits ? null : run.epoch }
}

import type { FileEntry } from '../../contract/files.ts'
import { FRESH_RUN } from './run/fresh-run.ts'
import type { Caller, Permission } from '../../contract/route.ts'
import type { RunTable } from '../db/chat-tables.ts'
import type { Trx } from '../db/database.ts'
import { newId } from '../kernel/id.ts'
import { askForRun, notGranted } from './approvals/approval-cards.ts'
import type { RunAttachments } from './history/chat-result.ts'
import type { RunContext } from './run/run-context.ts'
import { LEASE } from './run/run-store.ts'
import type { OpenedRun } from './run-once.ts'

export interface RunRequest {
  readonly conversation_id: string
  /** The message being answered, and its place in the branch. */
  readonly input: { readonly message_id: string; readonly position: number; readonly text: string }
  readonly files: FileEntry[]
  readonly idempotency_key: string | null
  readonly request_hash: string
  /** Permissions that require approval before the run may begin. */
  readonly asks: readonly Permission[]
}

/**
 * Reserves the answer to a message and opens the run that produces it; the answer becomes the end of the shown branch.
 * The activity event is the last statement of the transaction and includes `title` if it changed.
 */
export async function openRun(
  trx: Trx,
  context: RunContext,
  caller: Caller,
  request: RunRequest,
  title: string,
): Promise<OpenedRun> {
  const { ports, activity, limits, owner } = context
  const { conversation_id, input } = request
  const now = Date.now()
  const run_id = newId('run')
  const output_message_id = newId('message')
  const asks = await notGranted(trx, conversation_id, caller, request.asks)
  const waits = asks.length > 0
  const engine = ports.model.choose(input.text)
  const run: RunTable = {
    run_id,
    conversation_id,
    user_id: caller.user_id,
    session_id: caller.session_id,
    started_by: caller.kind,
    scope: caller.scope === null ? null : JSON.stringify(caller.scope),
    status: waits ? 'waiting_approval' : 'thinking',
    step: 0,
    ai_mode: engine.ai_mode,
    model: engine.model,
    input_message_id: input.message_id,
    output_message_id,
    idempotency_key: request.idempotency_key,
    request_hash: request.request_hash,
    // Leased by this process immediately, unless a card comes first.
    lease_owner: waits ? null : owner.name,
    lease_expires_at: waits ? null : now + LEASE,
    epoch: waits ? 0 : 1,
    ...FRESH_RUN,
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
  const card = waits ? [await askForRun(trx, run, asks, caller.language, limits.approvalLife)] : []
  const of = { conversation_id, run_id }
  await activity.append(trx, caller.user_id, [
    { type: 'conversation.updated', conversation_id, data: { title } },
    { type: 'run.started', ...of, data: { message_id: input.message_id, answer_id: output_message_id } },
    ...card,
    ...(waits ? [{ type: 'run.waiting' as const, ...of, data: { message_id: output_message_id } }] : []),
  ])
  return { run_id, conversation_id, epoch: waits ? null : run.epoch }
}

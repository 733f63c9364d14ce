import type { FileEntry } from '../../contract/files.ts'
import { FRESH_RUN } from './run/fresh-run.ts'
import type { Caller, Permission } from '../../contract/route.ts'
import type { RunTable } from '../db/rows/chat-tables.ts'
import type { Trx } from '../db/database.ts'
import { insertRows } from '../db/statement.ts'
import { askForRun, notGranted } from './approvals/approval-cards.ts'
import type { Conversations } from './conversations/conversations.ts'
import { storeChoice } from './conversations/engine-choice.ts'
import { markUntrusted } from './history/untrusted.ts'
import type { RunAttachments } from './history/chat-result.ts'
import { insertParts, type NewPart } from './history/parts.ts'
import { indexFirst, indexPartsOf } from './history/searchable.ts'
import type { EngineChoice } from './ports/model.ts'
import { approvalLife, type RunBounds } from './run/run-bounds.ts'
import type { ProcedureOfRun, ProcedurePlan } from './ports/procedures.ts'
import { procedureColumns } from './history/procedure-of-run.ts'
import type { RunContext } from './run/run-context.ts'
import { type QueuedVersion, takeQueued } from './history/queued-rows.ts'
import { LEASE } from './run/leases.ts'
import type { OpenedRun } from './run-once.ts'

/** A message that is stored together with the run that answers it. */
interface AddedMessage {
  readonly parts: readonly NewPart[]
  readonly parent_id: string | null
  /** Nothing of its conversation can be found by a search yet. */
  readonly first: boolean
}

export interface RunRequest {
  /** Where it happens. `isNew`: the transaction has just inserted it, with its name and the answer as its end. */
  readonly conversation: {
    readonly conversation_id: string
    /** What it is called if it has no name yet. */
    readonly name: string
    readonly isNew: boolean
    /** What its owner chose to answer in it; null: the default. */
    readonly choice: EngineChoice | null
    /** The modules whose tools that may use, as the row has them. */
    readonly tool_modules: string | null
  }
  /** The message being answered, and its place in the branch. `added`: null for one that is answered again. */
  readonly input: {
    readonly message_id: string
    readonly position: number
    readonly text: string
    readonly added: AddedMessage | null
  }
  /** The id of the answer. */
  readonly output_message_id: string
  readonly files: FileEntry[]
  readonly idempotency_key: string | null
  readonly request_hash: string
  /** Permissions that require approval before the run may begin. */
  readonly asks: readonly Permission[]
  /** The queued message that is being sent; null for any other. */
  readonly queued: QueuedVersion | null
  /** What its message brings along from elsewhere. */
  readonly facts: { readonly source: 'hook' | 'watch'; readonly name: string } | null
  /** The MCP client that asks for it, by name. */
  readonly client: string | null
  readonly run_id: string
  readonly bounds: RunBounds | null
  /** What it carries out instead of answering the message. */
  readonly procedure: StartedProcedure | null
}

/** A procedure that may run, as it was when that was checked. */
export interface StartedProcedure extends ProcedureOfRun {
  readonly plan: ProcedurePlan
}

/**
 * Stores a message, unless it is answered again, reserves its answer and opens the run that produces it. The activity
 * event is the last statement of the transaction and includes the title, which may have changed.
 * @throws a unique violation while another run has the conversation, {QueuedChanged}
 */
export async function openRun(
  trx: Trx,
  context: RunContext,
  conversations: Conversations,
  caller: Caller,
  request: RunRequest,
): Promise<OpenedRun> {
  const { ports, activity, limits, owner } = context
  const { conversation, input, output_message_id, run_id, facts, bounds } = request
  const { conversation_id, name, isNew, choice, tool_modules } = conversation
  const now = Date.now()
  const asks = await notGranted(trx, conversation_id, caller, request.asks)
  const waits = asks.length > 0
  const { procedure } = request
  const engine = ports.model.choose(input.text, {
    role_id: caller.role_id,
    choice,
    ...(procedure !== null && { procedure: { plan: procedure.plan, done: 0 } }),
  })
  const { engine_id, model } = engine
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
    model,
    input_message_id: input.message_id,
    output_message_id,
    idempotency_key: request.idempotency_key,
    request_hash: request.request_hash,
    // Leased by this process immediately, unless a card comes first.
    lease_owner: waits ? null : owner.owner,
    lease_expires_at: null,
    epoch: waits ? 0 : 1,
    ...FRESH_RUN,
    ...procedureColumns(procedure),
    engine_id: choice?.engine_id ?? null,
    engine: engine.name,
    attachments: JSON.stringify({ files: request.files } satisfies RunAttachments),
    bounds: bounds && JSON.stringify(bounds),
    tool_modules,
    created_at: now,
    ended_at: null,
  }
  // First of all: this waits for whoever ends a run of the conversation at this moment and will then need its row.
  await insertRows(trx, 'run', [run], waits ? {} : { lease_expires_at: LEASE })
  if (request.queued !== null) await takeQueued(trx, request.queued)
  const head_message_id = output_message_id
  const title = isNew ? name : await conversations.advance(trx, conversation_id, { head_message_id, name })
  await insertMessages(trx, run, title, input)
  if (request.files.length > 0)
    await markUntrusted(trx, conversation_id, { kind: 'file', name: request.files[0]!.name })
  if (facts !== null) await markUntrusted(trx, conversation_id, { kind: facts.source, name: facts.name })
  if (request.client !== null) await markUntrusted(trx, conversation_id, { kind: 'client', name: request.client })
  // It is said once, in this answer, and from then on the default answers.
  if (procedure === null && choice !== null && engine_id !== null && engine_id !== choice.engine_id)
    await storeChoice(trx, conversation_id, null)
  if (engine_id !== null && model !== null) await ports.usage.message(trx, caller, { engine_id, model })
  if (procedure !== null) {
    const { procedure_id, version, plan } = procedure
    await ports.audit.record(trx, {
      actor: caller,
      action: 'procedure.started',
      target: procedure_id,
      outcome: 'ok',
      details: { name: plan.name, version, run_id },
    })
  }
  const card = waits ? [await askForRun(trx, run, asks, caller.language, approvalLife(limits, bounds))] : []
  const of = { conversation_id, run_id }
  await activity.append(trx, caller.user_id, [
    {
      type: 'conversation.updated',
      conversation_id,
      data: {
        title,
        ...(request.queued && { queued: true }),
        ...(request.client !== null && { unlisted: true }),
      },
    },
    { type: 'run.started', ...of, data: { message_id: input.message_id, answer_id: output_message_id } },
    ...card,
    ...(waits ? [{ type: 'run.waiting' as const, ...of, data: { message_id: output_message_id } }] : []),
  ])
  return { run_id, conversation_id, opened: waits ? null : { epoch: run.epoch, input_text: input.text } }
}

async function insertMessages(trx: Trx, run: RunTable, title: string, input: RunRequest['input']): Promise<void> {
  const { run_id, conversation_id, created_at } = run
  const { message_id, position, added } = input
  const answer = {
    message_id: run.output_message_id,
    conversation_id,
    parent_id: message_id,
    position: position + 1,
    role: 'assistant' as const,
    status: run.status === 'thinking' ? ('streaming' as const) : ('waiting_approval' as const),
    run_id,
    created_at,
  }
  if (added === null) {
    await insertRows(trx, 'message', [answer])
    // A message names the run that answered it first.
    await trx
      .updateTable('message')
      .set({ run_id })
      .where('message_id', '=', message_id)
      .where('run_id', 'is', null)
      .execute()
    return
  }
  const { parts, parent_id, first } = added
  const question = { ...answer, message_id, parent_id, position, role: 'user' as const, status: 'complete' as const }
  await insertRows(trx, 'message', [question, answer])
  const lines = await insertParts(trx, message_id, { first: 0, step: 0 }, parts)
  await (first ? indexFirst : indexPartsOf)(trx, { conversation_id, user_id: run.user_id, title }, lines)
}

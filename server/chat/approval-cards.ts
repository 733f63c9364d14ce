import type { Question } from '../../contract/questions.ts'
import type { Trx } from '../db/database.ts'
import type { ApprovalTable, RunTable, ToolCallTable } from '../db/chat-tables.ts'
import { hashOf } from '../kernel/canonical.ts'
import { newId } from '../kernel/id.ts'
import type { NewEvent } from './activity.ts'
import type { Verdict } from './policy.ts'
import type { Tool } from './tools.ts'

/** Stands where a module's name stands, on the card for a run itself. */
const RUN_CARD = 'reeve'

/** What an approval is bound to: if any of it changes before the call runs, the approval no longer counts. */
export interface Bound {
  readonly arguments_hash: string
  readonly definition_hash: string
  readonly module_version: string
  readonly basis: string
}

export function boundTo(tool: Tool, input: unknown, verdict: Verdict): Bound {
  return {
    arguments_hash: hashOf(input),
    definition_hash: tool.definition_hash,
    module_version: tool.module_version,
    basis: verdict.basis,
  }
}

export function sameBound(a: Bound, b: Bound): boolean {
  return (
    a.arguments_hash === b.arguments_hash &&
    a.definition_hash === b.definition_hash &&
    a.module_version === b.module_version &&
    a.basis === b.basis
  )
}

/** Puts up a card for a call and returns the event that tells it. */
export async function askForCall(
  trx: Trx,
  run: RunTable,
  call: Pick<ToolCallTable, 'tool_call_id' | 'module' | 'tool' | 'title' | 'effect' | 'arguments'>,
  about: { bound: Bound; summary: string; reason: string; life: number },
): Promise<NewEvent> {
  const { bound, summary, reason, life } = about
  return (await putUp(trx, run, { kind: 'call', ...call, ...bound, question: null, summary, reason }, life)).event
}

/** Puts up a question of a running call and returns it with the event that tells it. */
export async function askQuestion(
  trx: Trx,
  run: RunTable,
  call: ToolCallTable,
  question: Question,
  life: number,
): Promise<{ card: ApprovalTable; event: NewEvent }> {
  const { tool_call_id, module, tool, title, effect, definition_hash, module_version, basis } = call
  const card = { tool_call_id, module, tool, title, effect, definition_hash, module_version, basis }
  return putUp(
    trx,
    run,
    {
      kind: 'question',
      ...card,
      arguments: '{}',
      arguments_hash: hashOf({}),
      question: JSON.stringify(question),
      summary: `${module} asks: ${question.message}`,
      reason: 'The tool asks while it runs, and waits for the answer.',
    },
    life,
  )
}

/** Waking this topic tells who waits for a run's answer that the run has asked something. */
export function questionTopic(run_id: string): string {
  return `question:${run_id}`
}

/** Puts up the card for a run itself: a permission that the message needs asks for approval. */
export async function askForRun(
  trx: Trx,
  run: RunTable,
  permissions: readonly string[],
  reason: string,
  life: number,
): Promise<NewEvent> {
  const { event } = await putUp(
    trx,
    run,
    {
      kind: 'run',
      tool_call_id: null,
      module: RUN_CARD,
      tool: permissions[0]!,
      title: 'Answer this message',
      effect: 'unknown',
      arguments: JSON.stringify({ permissions }),
      question: null,
      summary: 'Lets the assistant work on this message.',
      reason,
      arguments_hash: hashOf(permissions),
      definition_hash: '',
      module_version: '',
      basis: '',
    },
    life,
  )
  return event
}

/** Of the permissions that ask, those that the owner did not approve for the whole conversation. */
export async function notGranted<P extends string>(
  trx: Trx,
  conversation_id: string,
  user_id: string,
  permissions: readonly P[],
): Promise<P[]> {
  if (permissions.length === 0) return []
  const granted = await trx
    .selectFrom('approval_grant')
    .select('tool')
    .where('conversation_id', '=', conversation_id)
    .where('module', '=', RUN_CARD)
    .where('user_id', '=', user_id)
    .execute()
  return permissions.filter((permission) => !granted.some(({ tool }) => tool === permission))
}

/** True when the owner approved this very tool for the whole conversation. */
export async function isGranted(trx: Trx, run: RunTable, tool: Tool, bound: Bound): Promise<boolean> {
  const grant = await trx
    .selectFrom('approval_grant')
    .select('grant_id')
    .where('conversation_id', '=', run.conversation_id)
    .where('module', '=', tool.module)
    .where('tool', '=', tool.name)
    .where('user_id', '=', run.user_id)
    .where('definition_hash', '=', bound.definition_hash)
    .where('basis', '=', bound.basis)
    .executeTakeFirst()
  return grant !== undefined
}

async function putUp(
  trx: Trx,
  run: RunTable,
  card: Bound &
    Pick<
      ApprovalTable,
      'kind' | 'tool_call_id' | 'module' | 'tool' | 'title' | 'effect' | 'arguments' | 'question' | 'summary' | 'reason'
    >,
  life: number,
): Promise<{ card: ApprovalTable; event: NewEvent }> {
  const approval_id = newId('approval')
  const requested_at = Date.now()
  const row: ApprovalTable = {
    approval_id,
    run_id: run.run_id,
    conversation_id: run.conversation_id,
    user_id: run.user_id,
    kind: card.kind,
    tool_call_id: card.tool_call_id,
    status: 'pending',
    decision: null,
    module: card.module,
    tool: card.tool,
    title: card.title,
    effect: card.effect,
    arguments: card.arguments,
    question: card.question,
    summary: card.summary,
    reason: card.reason,
    arguments_hash: card.arguments_hash,
    definition_hash: card.definition_hash,
    module_version: card.module_version,
    basis: card.basis,
    requested_at,
    expires_at: requested_at + life,
    decided_at: null,
    decided_by: null,
    decision_reason: null,
  }
  await trx.insertInto('approval').values(row).execute()
  const { kind, module, tool } = card
  const event: NewEvent = {
    type: 'approval.requested',
    conversation_id: run.conversation_id,
    run_id: run.run_id,
    data: { approval_id, kind, status: 'pending', message_id: run.output_message_id, module, tool },
  }
  return { card: row, event }
}

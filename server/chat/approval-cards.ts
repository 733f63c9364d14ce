import type { Trx } from '../db/database.ts'
import type { RunTable, ToolCallTable } from '../db/chat-tables.ts'
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
  return putUp(trx, run, { ...call, ...about.bound, summary: about.summary, reason: about.reason }, about.life)
}

/** Puts up the card for a run itself: a permission that the message needs asks for approval. */
export async function askForRun(
  trx: Trx,
  run: RunTable,
  permissions: readonly string[],
  reason: string,
  life: number,
): Promise<NewEvent> {
  return putUp(
    trx,
    run,
    {
      tool_call_id: null,
      module: RUN_CARD,
      tool: permissions[0]!,
      title: 'Answer this message',
      effect: 'unknown',
      arguments: JSON.stringify({ permissions }),
      summary: 'Lets the assistant work on this message.',
      reason,
      arguments_hash: hashOf(permissions),
      definition_hash: '',
      module_version: '',
      basis: '',
    },
    life,
  )
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
  card: Bound & {
    tool_call_id: string | null
    module: string
    tool: string
    title: string
    effect: ToolCallTable['effect']
    arguments: string
    summary: string
    reason: string
  },
  life: number,
): Promise<NewEvent> {
  const approval_id = newId('approval')
  const requested_at = Date.now()
  await trx
    .insertInto('approval')
    .values({
      approval_id,
      run_id: run.run_id,
      conversation_id: run.conversation_id,
      user_id: run.user_id,
      tool_call_id: card.tool_call_id,
      status: 'pending',
      decision: null,
      module: card.module,
      tool: card.tool,
      title: card.title,
      effect: card.effect,
      arguments: card.arguments,
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
    })
    .execute()
  return {
    type: 'approval.requested',
    conversation_id: run.conversation_id,
    run_id: run.run_id,
    data: { approval_id, status: 'pending', message_id: run.output_message_id, module: card.module, tool: card.tool },
  }
}

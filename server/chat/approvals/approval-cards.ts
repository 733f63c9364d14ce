import type { Caller } from '../../../contract/route.ts'
import type { Untrusted } from '../../../contract/grants.ts'
import type { Question } from '../../../contract/questions.ts'
import type { Reader, Trx } from '../../db/database.ts'
import type { ApprovalTable, RunTable, ToolCallTable } from '../../db/rows/chat-tables.ts'
import { insertRows } from '../../db/statement.ts'
import { hashOf } from '../../kernel/text/canonical.ts'
import { newId } from '../../kernel/id.ts'
import { allOf } from '../../kernel/joined-sentences.ts'
import { say } from '../../kernel/sentence.ts'
import type { StoredOffer } from '../history/card-offers.ts'
import type { NewEvent } from '../history/activity.ts'
import type { Verdict } from '../ports/policy.ts'
import type { Tool } from '../ports/tools.ts'
import { NOBODY_ELSE, othersTold } from '../run/others-told.ts'
import type { CallTargets } from '../targets/call-targets.ts'
import { needsText, newVoting } from './votes.ts'

/** What an approval is bound to: if any of it changes before the call runs, the approval no longer applies. */
export interface Bound {
  readonly arguments_hash: string
  readonly definition_hash: string
  readonly module_version: string
  readonly basis: string
  /** Of what the card says the call would change; empty where it says nothing. */
  readonly preview_hash: string
  /** Who must agree, as JSON. */
  readonly needs: string
  /** Of the machines that it is about and their pinned keys; empty for this one alone. */
  readonly bound_hash: string
}

export function boundTo(
  tool: Tool,
  input: unknown,
  verdict: Verdict,
  { targets, preview_hash = '' }: { readonly targets: CallTargets | null; readonly preview_hash?: string | undefined },
): Bound {
  return {
    arguments_hash: hashOf(input),
    definition_hash: tool.definition_hash,
    module_version: tool.module_version,
    basis: verdict.basis,
    preview_hash,
    needs: needsText(verdict.needs),
    bound_hash: targets?.hash ?? '',
  }
}

export function sameBound(a: Bound, b: Bound): boolean {
  return (
    a.arguments_hash === b.arguments_hash &&
    a.definition_hash === b.definition_hash &&
    a.module_version === b.module_version &&
    a.basis === b.basis &&
    a.preview_hash === b.preview_hash &&
    a.needs === b.needs &&
    a.bound_hash === b.bound_hash
  )
}

/** Creates a card for a call and returns the event that announces it. */
export async function askForCall(
  trx: Trx,
  run: RunTable,
  call: Pick<
    ToolCallTable,
    'tool_call_id' | 'module' | 'tool' | 'title' | 'effect' | 'arguments' | 'main_argument' | 'repaired'
  >,
  about: {
    bound: Bound
    targets: string | null
    preview: string | null
    offers: readonly StoredOffer[]
    untrusted: Untrusted | null
    summary: string
    reason: string
    life: number
  },
): Promise<NewEvent> {
  const { bound, targets, preview, summary, reason, life } = about
  const offers = JSON.stringify(about.offers)
  const untrusted = about.untrusted && JSON.stringify(about.untrusted)
  const card = {
    kind: 'call' as const,
    ...call,
    ...bound,
    targets,
    preview,
    question: null,
    offers,
    untrusted,
    summary,
    reason,
  }
  return (await putUp(trx, run, card, life)).event
}

/** Creates a card for a running call's question and returns it with the event that announces it. */
export async function askQuestion(
  trx: Trx,
  run: RunTable,
  call: ToolCallTable,
  question: Question,
  language: string,
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
      main_argument: null,
      arguments_hash: hashOf({}),
      preview: null,
      preview_hash: '',
      targets: null,
      bound_hash: '',
      needs: NOBODY_ELSE,
      question: JSON.stringify(question),
      summary: say`${module} asks: ${question.message}`.in(language),
      reason: say`The tool asks while it is running, and waits for the answer.`.in(language),
    },
    life,
  )
}

/** Waking this topic tells whoever waits for the run's answer that the run has asked a question. */
export function questionTopic(run_id: string): string {
  return `question:${run_id}`
}

/** Creates the card for a run itself: a permission the message needs requires approval. */
export async function askForRun(
  trx: Trx,
  run: RunTable,
  permissions: readonly string[],
  language: string,
  life: number,
): Promise<NewEvent> {
  const { event } = await putUp(
    trx,
    run,
    {
      kind: 'run',
      tool_call_id: null,
      module: '',
      tool: permissions[0]!,
      title: say`Answer this message`.in(language),
      effect: 'unknown',
      arguments: JSON.stringify({ permissions }),
      main_argument: null,
      preview: null,
      preview_hash: '',
      targets: null,
      bound_hash: '',
      needs: NOBODY_ELSE,
      question: null,
      summary: say`Lets the assistant work on this message.`.in(language),
      reason: say`A rule of your role asks before ${allOf(permissions)} is used.`.in(language),
      arguments_hash: hashOf(permissions),
      definition_hash: '',
      module_version: '',
      basis: '',
    },
    life,
  )
  return event
}

/**
 * Of the permissions that ask, those the owner has not approved for the whole conversation. Such approvals count only
 * for a signed-in person, never for a script with an access token.
 */
export async function notGranted<P extends string>(
  reader: Reader,
  conversation_id: string,
  caller: Pick<Caller, 'kind' | 'user_id'>,
  permissions: readonly P[],
): Promise<P[]> {
  if (permissions.length === 0 || caller.kind !== 'session') return [...permissions]
  const granted = await reader
    .selectFrom('approval_grant')
    .select('tool')
    .where('conversation_id', '=', conversation_id)
    .where('user_id', '=', caller.user_id)
    .where('kind', '=', 'permission')
    .where('revoked_at', 'is', null)
    .execute()
  return permissions.filter((asked) => !granted.some(({ tool }) => tool === asked))
}

async function putUp(
  trx: Trx,
  run: RunTable,
  card: Bound &
    Pick<
      ApprovalTable,
      | 'kind'
      | 'tool_call_id'
      | 'module'
      | 'tool'
      | 'title'
      | 'effect'
      | 'arguments'
      | 'main_argument'
      | 'preview'
      | 'targets'
      | 'question'
      | 'summary'
      | 'reason'
    > &
    Partial<Pick<ApprovalTable, 'offers' | 'untrusted' | 'repaired'>>,
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
    main_argument: card.main_argument,
    repaired: card.repaired ?? null,
    question: card.question,
    summary: card.summary,
    reason: card.reason,
    arguments_hash: card.arguments_hash,
    definition_hash: card.definition_hash,
    module_version: card.module_version,
    basis: card.basis,
    preview: card.preview,
    preview_hash: card.preview_hash,
    targets: card.targets,
    bound_hash: card.bound_hash,
    offers: card.offers ?? '[]',
    granted: null,
    untrusted: card.untrusted ?? null,
    requested_at,
    expires_at: requested_at + life,
    decided_at: null,
    decided_by: null,
    decision_reason: null,
    needs: card.needs,
    voting: await newVoting(trx, card),
  }
  await insertRows(trx, 'approval', [row])
  const { kind, module, tool } = card
  const event: NewEvent = {
    type: 'approval.requested',
    conversation_id: run.conversation_id,
    run_id: run.run_id,
    data: { approval_id, kind, status: 'pending', message_id: run.output_message_id, module, tool },
    ...(await othersTold(trx, row)),
  }
  return { card: row, event }
}

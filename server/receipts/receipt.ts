import type { ApprovalTable, ToolCallTable } from '../db/rows/chat-tables.ts'
import type { Database } from '../db/database.ts'
import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'
import { isTooDeep } from '../kernel/text/json-depth.ts'
import { iso, isoOrNull } from '../kernel/time.ts'
import { type Receipt, RECEIPT_TYPE, type ReceiptEntry } from './documents.ts'
import { signDocument } from './envelope.ts'
import { isClosing } from './check-receipt.ts'
import { type Installation, signedBy } from './installation.ts'
import type { SigningKeys } from './signing-key.ts'

/**
 * Characters of the largest arguments that a receipt repeats; their hash is in it in any case. Who reads the audit log
 * gets no more of them than the log shows.
 */
const ARGUMENTS = { owner: 256 * 1024, log: 2000 }
const ENTRIES = 50

export interface ReceiptMaker {
  readonly db: Database
  readonly keys: SigningKeys
  readonly installation: Installation
  /** Chains the entries that were recorded before; false where that takes too long. */
  readonly settle: () => Promise<boolean>
}

/** The approval that an entry of the audit log is about, or the one of the call that it is about. @throws {AppError} not_found */
export async function approvalOfEntry(db: Database, audit_id: string): Promise<string> {
  const entry = /^\d{1,15}$/.test(audit_id)
    ? await db.read
        .selectFrom('audit')
        .select(['action', 'target'])
        .where('audit_id', '=', Number(audit_id))
        .executeTakeFirst()
    : undefined
  const column = entry?.action === 'tool.called' ? 'tool_call_id' : 'approval_id'
  const approval =
    entry &&
    (await db.read
      .selectFrom('approval')
      .select('approval_id')
      .where(column, '=', entry.target)
      .orderBy('kind')
      .orderBy('approval_id', 'desc')
      .limit(1)
      .executeTakeFirst())
  if (!approval)
    throw new AppError('not_found', say`This entry is not about an approval, or the approval was deleted since.`)
  return approval.approval_id
}

/**
 * The receipt of an approval, signed now: one line of JSON. `user_id`: whose approval it has to be; null: anybody's, for
 * who reads the audit log.
 * @throws {AppError} not_found; receipt_unavailable while it waits, or its entries of the audit log are not chained
 */
export async function makeReceipt(
  { db, keys, installation, settle }: ReceiptMaker,
  approval_id: string,
  user_id: string | null,
): Promise<string> {
  let select = db.read.selectFrom('approval').selectAll().where('approval_id', '=', approval_id)
  if (user_id !== null) select = select.where('user_id', '=', user_id)
  const card = await select.executeTakeFirst()
  if (!card) throw new AppError('not_found', say`There is no such approval.`)
  const { status, tool_call_id } = card
  if (status === 'pending')
    throw new AppError('receipt_unavailable', say`This approval is still open. There is a receipt once it is decided.`)
  if (!(await settle()))
    throw new AppError('receipt_unavailable', say`The audit log is being written. Try again in a moment.`)
  const call =
    tool_call_id === null
      ? undefined
      : await db.read.selectFrom('tool_call').selectAll().where('tool_call_id', '=', tool_call_id).executeTakeFirst()
  const signer = await keys.signer()
  // A call that asked again ran, if it did, by the decision on a later card.
  const ran = tool_call_id !== null && status !== 'superseded' ? [tool_call_id] : []
  const audit = await entriesAbout(db, [approval_id, ...ran])
  const receipt: Receipt = {
    schema: 'reeve.receipt/1',
    signed_by: signedBy(installation, signer, Date.now()),
    approval: {
      ...(await describeApproval(db, card, audit)),
      status,
      // What a module asks is content of the conversation.
      summary: user_id === null && card.kind === 'question' ? '' : card.summary,
    },
    call: call === undefined ? null : describeCall(call, card, user_id === null ? ARGUMENTS.log : ARGUMENTS.owner),
    audit,
  }
  return signDocument(RECEIPT_TYPE, wellFormed(receipt) as Receipt, signer)
}

async function describeApproval(
  db: Database,
  card: ApprovalTable,
  audit: readonly ReceiptEntry[],
): Promise<Omit<Receipt['approval'], 'status' | 'summary'>> {
  // The id stands in the log only: a name may be another person's by now.
  const closing = audit.find(isClosing)
  const ids = [card.user_id, ...(closing?.actor_id == null ? [] : [closing.actor_id])]
  const people = await db.read
    .selectFrom('user')
    .select(['user_id', 'username', 'display_name'])
    .where('user_id', 'in', ids)
    .execute()
  const person = (id: string | null, username: string) => ({
    user_id: id,
    username,
    display_name: people.find(({ user_id }) => user_id === id)?.display_name ?? null,
  })
  const asker = people.find(({ user_id }) => user_id === card.user_id)
  const { approval_id, kind, conversation_id, run_id, reason, decision, decided_by, decision_reason } = card
  return {
    approval_id,
    kind,
    asked_by: person(card.user_id, asker?.username ?? ''),
    conversation_id,
    run_id,
    requested_at: iso(card.requested_at),
    expires_at: iso(card.expires_at),
    reason,
    rules_hash: card.basis,
    decision,
    decided_by: decided_by === null ? null : person(closing?.actor_id ?? null, decided_by),
    decided_at: isoOrNull(card.decided_at),
    decision_reason,
    ...(await describeVotes(db, card)),
  }
}

/** Nothing where the person who asked decided. */
async function describeVotes(
  db: Database,
  { approval_id, voting }: ApprovalTable,
): Promise<Pick<Receipt['approval'], 'needs' | 'votes'>> {
  if (voting === null) return {}
  const { needs } = JSON.parse(voting) as { needs: { role_id: string; role: string; count: number }[] }
  const votes = await db.read
    .selectFrom('vote')
    .innerJoin('user', 'user.user_id', 'vote.user_id')
    .select(['vote.user_id', 'username', 'display_name', 'decision', 'reason', 'at'])
    .where('subject_id', '=', approval_id)
    .orderBy('at')
    .orderBy('vote.user_id')
    .execute()
  return {
    needs: needs.map(({ role_id, role, count }) => ({ role_id, role, count })),
    votes: votes.map(({ decision, reason, at, ...by }) => ({ by, decision, reason, at: iso(at) })),
  }
}

function describeCall(call: ToolCallTable, card: ApprovalTable, most: number): Receipt['call'] {
  // The call may have been bound anew since, to another definition of its tool.
  const { definition_hash, arguments_hash, module_version } = card.kind === 'call' ? card : call
  const given = call.arguments.length > most ? null : (JSON.parse(call.arguments) as Record<string, unknown>)
  return {
    tool_call_id: call.tool_call_id,
    module: call.module,
    module_version,
    tool: call.tool,
    title: call.title,
    effect: call.effect,
    definition_hash,
    // Whoever verifies reads the document to the same depth.
    arguments: isTooDeep({ call: { arguments: given } }) ? null : given,
    arguments_hash,
    status: call.status,
    started_at: isoOrNull(call.started_at),
    ended_at: isoOrNull(call.ended_at),
  }
}

async function entriesAbout(db: Database, targets: readonly string[]): Promise<ReceiptEntry[]> {
  return db.read
    .selectFrom('audit')
    .selectAll()
    .where('target', 'in', targets)
    .where((is) =>
      is.or([is('action', '=', 'tool.called'), is('action', 'like', 'approval.%'), is('action', 'like', 'question.%')]),
    )
    .orderBy('audit_id')
    .limit(ENTRIES)
    .execute()
}

/** The same value with every lone surrogate replaced: canonical JSON has none. */
function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed()
  if (Array.isArray(value)) return value.map(wellFormed)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key.toWellFormed(), wellFormed(item)]))
}

import type { Caller } from '../../../contract/route.ts'
import type { ApprovalTable } from '../../db/rows/chat-tables.ts'
import type { Trx } from '../../db/database.ts'
import { keepVote, voteOf } from '../../db/votes/votes.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import { storable } from '../../kernel/text/plain-text.ts'
import type { Card } from '../history/cards.ts'
import { needsOf, NOBODY_ELSE, othersTold } from '../run/others-told.ts'
import type { RunContext } from '../run/run-context.ts'
import { aboutCard, type Closing, EXPIRED, readCard } from './closing.ts'
import { showVotes, voterOn } from './votes.ts'

/** What somebody else says of a card. */
export interface Ballot {
  readonly decision: 'approve' | 'deny'
  readonly reason: string | null
}
type Close = (trx: Trx, card: Card, by: Closing) => Promise<void>

/**
 * Records a vote of somebody else than who asks, and closes the card when everybody needed has agreed, or one has denied.
 * Vote, count and closing are one transaction under the run's lock. The same vote again changes nothing; who has agreed
 * may still deny. A card whose time is up comes back as `expired`.
 * @throws {AppError} not_found, forbidden, already_decided, approval_closed
 */
export async function castVote(
  context: RunContext,
  close: Close,
  caller: Caller,
  approval_id: string,
  ballot: Ballot,
): Promise<ApprovalTable> {
  const { db } = context
  const { decision } = ballot
  if (caller.kind !== 'session')
    throw new AppError('forbidden', say`Approvals are decided by a signed-in person, not with an access token.`)
  const known = await db.read
    .selectFrom('approval')
    .select(['approval_id', 'run_id', 'user_id', 'needs'])
    .where('approval_id', '=', approval_id)
    .executeTakeFirst()
  if (!known) throw notFound()
  if (known.user_id === caller.user_id && known.needs !== NOBODY_ELSE) throw othersDecide()
  const { before, row, mine } = await db.transaction(async (trx) => {
    await db.dialect.serialize(trx, `run:${known.run_id}`)
    if (!(await voterOn(trx, known, caller.user_id))) throw notFound()
    const current = await readCard(trx, approval_id)
    const own = await voteOf(trx, approval_id, caller.user_id)
    if (current.status !== 'pending' || own === decision) return { before: current, row: current, mine: own }
    if (current.expires_at <= Date.now()) await close(trx, current, EXPIRED)
    else await count(context, close, trx, current, caller, ballot)
    return { before: current, row: await readCard(trx, approval_id), mine: decision }
  })
  if (row.status === 'expired' || mine === decision) return row
  if (before.status === 'cancelled' || before.status === 'superseded')
    throw new AppError('approval_closed', say`This approval is closed: there is nothing left to decide.`)
  throw new AppError(
    'already_decided',
    row.status === 'denied' ? say`This approval was already denied.` : say`This approval was already given.`,
  )
}

/** Whoever asks does not decide what others must agree to. */
export function othersDecide(): AppError {
  return new AppError('forbidden', say`Others decide on this call. Whoever asks for it can only withdraw it.`)
}

async function count(
  { ports, activity }: RunContext,
  close: Close,
  trx: Trx,
  card: Card,
  actor: Caller,
  { decision, reason: given }: Ballot,
): Promise<void> {
  const { approval_id, conversation_id, run_id, user_id, arguments_hash, definition_hash } = card
  const reason = given === null ? null : storable(given)
  const said = { decision, reason, session_id: actor.session_id, at: Date.now() }
  await keepVote(trx, { subject_id: approval_id, user_id: actor.user_id, ...said })
  const enough = await showVotes(trx, card)
  await ports.audit.record(trx, {
    actor,
    action: 'approval.voted',
    target: approval_id,
    outcome: decision === 'approve' ? 'ok' : 'refused',
    details: {
      decision,
      tool: `${card.module}.${card.tool}`,
      ...(await aboutCard(trx, card)),
      run_id,
      arguments_hash,
      definition_hash,
      needs: needsOf(card),
      ...(reason === null ? {} : { reason }),
    },
  })
  if (decision === 'deny' || enough) {
    const status = decision === 'deny' ? 'denied' : 'approved'
    await close(trx, card, { status, actor, decision, reason, content: {}, taken: null })
    return
  }
  const data = { approval_id, status: 'pending' }
  const told = await othersTold(trx, card)
  await activity.append(trx, user_id, [{ type: 'approval.voted', conversation_id, run_id, data, ...told }])
}

function notFound(): AppError {
  return new AppError('not_found', say`There is no such approval.`)
}

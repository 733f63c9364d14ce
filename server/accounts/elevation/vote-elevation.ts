import type { z } from 'zod'
import type { accounts } from '../../../contract/accounts.ts'
import type { Elevation } from '../../../contract/elevations.ts'
import type { Caller, HandlerInput } from '../../../contract/route.ts'
import type { Trx } from '../../db/database.ts'
import { ownRoleOf, voterOf } from '../../db/votes/voters.ts'
import { countedVotes, keepVote, voteOf } from '../../db/votes/votes.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import { storable } from '../../kernel/text/plain-text.ts'
import { type AccountsContext, ACCOUNTS_LOCK } from '../accounts-context.ts'
import type { Audit } from '../audit/audit.ts'
import { closeOverdue, tellAll, tellClosed } from './close-elevations.ts'
import { elevationEntries, type ElevationRow, findElevation, noElevation, subjectOf } from './elevation-rows.ts'

type Ballot = HandlerInput<typeof accounts.voteOnElevation>['body']

/**
 * Records what somebody else says about a request, and begins it when everybody needed has agreed, or closes it when one
 * has denied. Vote, count and beginning are one transaction under ACCOUNTS_LOCK, as is every change of who counts. The same
 * vote again changes nothing; who has agreed may still deny.
 * @throws {AppError} not_found, forbidden, already_decided, approval_expired, approval_closed
 */
export async function voteOnElevation(
  context: AccountsContext,
  audit: Audit,
  caller: Caller,
  elevation_id: string,
  ballot: Ballot,
): Promise<z.input<typeof Elevation>> {
  const { db, clock } = context
  const now = clock()
  const { row, lapsed } = await db.transaction(async (trx) => {
    await db.dialect.serialize(trx, ACCOUNTS_LOCK)
    const current = await findElevation(trx, elevation_id)
    if (current.user_id === caller.user_id)
      throw new AppError('forbidden', say`Others decide about this. Whoever asks can only withdraw it.`)
    if (!(await voterOf(trx, subjectOf(current), caller.user_id))) throw noElevation()
    if ((await voteOf(trx, current.elevation_id, caller.user_id)) === ballot.decision) return { row: current }
    if (current.status === 'requested' && current.ends_at <= now) {
      await tellClosed(context, audit, trx, null, await closeOverdue(trx, now, current.user_id))
      return { row: current, lapsed: true }
    }
    if (current.status !== 'requested') throw closed(current)
    await count(context, audit, trx, { caller, row: current, ballot, now })
    return { row: await findElevation(trx, elevation_id) }
  })
  if (lapsed) throw expired()
  const own = { own_role_id: ownRoleOf(caller), now }
  const [entry] = await elevationEntries(db.read, caller, [row], own)
  return entry!
}

interface Cast {
  readonly caller: Caller
  readonly row: ElevationRow
  readonly ballot: Ballot
  readonly now: number
}

async function count(context: AccountsContext, audit: Audit, trx: Trx, { caller, row, ballot, now }: Cast) {
  const { elevation_id, user_id, role, own_role, minutes } = row
  const { decision } = ballot
  const reason = ballot.reason === undefined || ballot.reason === '' ? null : storable(ballot.reason)
  await keepVote(trx, {
    subject_id: elevation_id,
    user_id: caller.user_id,
    decision,
    reason,
    session_id: caller.session_id,
    at: now,
  })
  const { needs, enough } = await countedVotes(trx, subjectOf(row))
  const about = { user_id, role, own_role, minutes }
  await audit.record(trx, {
    actor: caller,
    action: 'elevation.voted',
    target: elevation_id,
    outcome: decision === 'approve' ? 'ok' : 'refused',
    details: { decision, ...about, needs, ...(reason === null ? {} : { reason }) },
  })
  if (decision === 'deny') {
    const denied = { status: 'denied', closed_at: now, closed_by: caller.username } as const
    await trx.updateTable('elevation').set(denied).where('elevation_id', '=', elevation_id).execute()
    await tellClosed(context, audit, trx, caller, [{ ...row, ...denied }])
    return
  }
  if (enough) {
    const ends_at = now + minutes * 60_000
    await trx
      .updateTable('elevation')
      .set({ status: 'active', started_at: now, ends_at })
      .where('elevation_id', '=', elevation_id)
      .execute()
    await audit.record(trx, {
      actor: caller,
      action: 'elevation.started',
      target: elevation_id,
      outcome: 'ok',
      details: { ...about, ends_at: new Date(ends_at).toISOString() },
    })
  }
  await tellAll(context, trx, [row])
}

function expired(): AppError {
  return new AppError('approval_expired', say`No one decided about this request in time.`)
}

function closed({ status }: ElevationRow): AppError {
  if (status === 'expired') return expired()
  if (status === 'active') return new AppError('already_decided', say`The role was already given.`)
  if (status === 'denied') return new AppError('already_decided', say`The request was already denied.`)
  return new AppError('approval_closed', say`This request is closed: there is nothing left to decide.`)
}

import type { z } from 'zod'
import type { accounts } from '../../../contract/accounts.ts'
import { ELEVATION_LIMITS } from '../../../contract/elevation-limits.ts'
import type { Elevation } from '../../../contract/elevations.ts'
import type { Caller, HandlerInput } from '../../../contract/route.ts'
import type { Trx } from '../../db/database.ts'
import { enabledPeople } from '../../db/votes/voters.ts'
import { AppError } from '../../kernel/app-error.ts'
import { newId } from '../../kernel/id.ts'
import { say } from '../../kernel/sentence.ts'
import { storable } from '../../kernel/text/plain-text.ts'
import { type AccountsContext, ACCOUNTS_LOCK } from '../accounts-context.ts'
import type { Audit } from '../audit/audit.ts'
import { elevatableRoles } from './elevatable-roles.ts'
import { elevationEntries, findElevation } from './elevation-rows.ts'
import { closeOverdue, recordClosed, tellAll } from './close-elevations.ts'

const HOUR = 3_600_000

/**
 * Asks for a role for a while. Nothing changes before others have agreed.
 * @throws {AppError} unknown_role (also one that cannot be taken), invalid_request (too long), elevation_open, forbidden,
 * too_many_attempts
 */
export async function requestElevation(
  context: AccountsContext,
  audit: Audit,
  caller: Caller,
  { role_id, minutes, reason }: HandlerInput<typeof accounts.requestElevation>['body'],
): Promise<z.input<typeof Elevation>> {
  const { db, clock } = context
  const now = clock()
  if (caller.admin) throw new AppError('forbidden', say`Administrators have no need of another role.`)
  if (caller.elevated) throw alreadyOpen()
  return db.transaction(async (trx) => {
    await db.dialect.serialize(trx, ACCOUNTS_LOCK)
    await stillAs(trx, caller)
    const overdue = await closeOverdue(trx, now, caller.user_id)
    await refuseWhileOpen(trx, caller.user_id, now)
    const role = (await elevatableRoles(trx, caller.role_id)).find((one) => one.role_id === storable(role_id))
    if (!role) throw new AppError('unknown_role', say`This role cannot be taken for a while.`)
    if (minutes > role.max_minutes) {
      const message = say`The role “${role.role}” can be taken for ${role.max_minutes} minutes at most.`
      throw new AppError('invalid_request', message, { errors: [{ path: 'minutes', message }] })
    }
    const own = await trx.selectFrom('role').select('name').where('role_id', '=', caller.role_id).executeTakeFirst()
    const elevation_id = newId('elevation')
    await trx
      .insertInto('elevation')
      .values({
        elevation_id,
        user_id: caller.user_id,
        role_id: role.role_id,
        role: role.role,
        own_role: own?.name ?? '',
        needs: JSON.stringify(role.needs.map((need) => ({ role_id: need.role_id, count: need.count }))),
        status: 'requested',
        reason: storable(reason),
        minutes,
        requested_at: now,
        ends_at: now + ELEVATION_LIMITS.request_hours * HOUR,
        started_at: null,
        closed_at: null,
        closed_by: null,
      })
      .execute()
    const row = await findElevation(trx, elevation_id)
    const details = { role: row.role, own_role: row.own_role, minutes, reason: row.reason, needs: role.needs }
    await audit.record(trx, {
      actor: caller,
      action: 'elevation.requested',
      target: elevation_id,
      outcome: 'ok',
      details,
    })
    await recordClosed(audit, trx, null, overdue)
    await tellAll(context, trx, [row, ...overdue])
    const [entry] = await elevationEntries(trx, caller, [row], { own_role_id: caller.role_id, now })
    return entry!
  })
}

/** The caller was loaded before the lock: since then they may have been disabled, or moved. @throws {AppError} not_signed_in */
async function stillAs(trx: Trx, { user_id, role_id }: Caller): Promise<void> {
  const user = await enabledPeople(trx).where('user.user_id', '=', user_id).executeTakeFirst()
  if (user?.role_id !== role_id) throw new AppError('not_signed_in', say`Your role has changed. Sign in again.`)
}

/** @throws {AppError} elevation_open, too_many_attempts */
async function refuseWhileOpen(trx: Trx, user_id: string, now: number): Promise<void> {
  const recent = await trx
    .selectFrom('elevation')
    .select('closed_at')
    .where('user_id', '=', user_id)
    .where((is) => is.or([is('closed_at', 'is', null), is('requested_at', '>', now - 24 * HOUR)]))
    .execute()
  if (recent.some(({ closed_at }) => closed_at === null)) throw alreadyOpen()
  if (recent.length >= ELEVATION_LIMITS.requests_a_day)
    throw new AppError(
      'too_many_attempts',
      say`You have asked ${recent.length} times within a day. Ask again tomorrow, or ask an administrator.`,
    )
}

function alreadyOpen(): AppError {
  return new AppError(
    'elevation_open',
    say`You have asked for a role already, or have one for a while. Withdraw that, or give it back first.`,
  )
}

import type { z } from 'zod'
import type { accounts } from '../../../contract/accounts.ts'
import { ELEVATION_LIMITS } from '../../../contract/elevation-limits.ts'
import type { Elevation } from '../../../contract/elevations.ts'
import type { Caller, HandlerOutput } from '../../../contract/route.ts'
import { ownRoleOf } from '../../db/votes/voters.ts'
import { type AccountsContext, ACCOUNTS_LOCK } from '../accounts-context.ts'
import type { Audit } from '../audit/audit.ts'
import { closeOpen, closeOverdue, removeOld, tellClosed } from './close-elevations.ts'
import { elevatableRoles } from './elevatable-roles.ts'
import { elevationEntries, elevationsFor, findElevation, noElevation } from './elevation-rows.ts'

/** What the caller may ask for, and every request that concerns them. */
export async function listElevations(
  { db, clock }: AccountsContext,
  caller: Caller,
): Promise<HandlerOutput<typeof accounts.listElevations>> {
  const own = { own_role_id: ownRoleOf(caller), now: clock() }
  const rows = await elevationsFor(db.read, caller, { ...own, limit: ELEVATION_LIMITS.listed })
  return {
    items: await elevationEntries(db.read, caller, rows, own),
    roles: caller.admin ? [] : await elevatableRoles(db.read, own.own_role_id),
  }
}

/** Gives a role back, or withdraws the request; one that is over stays as it is. @throws {AppError} not_found */
export async function endElevation(
  context: AccountsContext,
  audit: Audit,
  caller: Caller,
  elevation_id: string,
): Promise<z.input<typeof Elevation>> {
  const { db, clock } = context
  const now = clock()
  return db.transaction(async (trx) => {
    await db.dialect.serialize(trx, ACCOUNTS_LOCK)
    const current = await findElevation(trx, elevation_id)
    if (current.user_id !== caller.user_id && !caller.admin) throw noElevation()
    const overdue = await closeOverdue(trx, now, current.user_id)
    const closed = await closeOpen(trx, { elevation_id: current.elevation_id }, { now, by: caller })
    await tellClosed(context, audit, trx, caller, [...overdue, ...closed])
    const own = { own_role_id: ownRoleOf(caller), now }
    const [entry] = await elevationEntries(trx, caller, [await findElevation(trx, elevation_id)], own)
    return entry!
  })
}

/** Notes what time has closed, and removes what was closed long ago. Nothing waits for this. */
export async function sweepElevations(context: AccountsContext, audit: Audit): Promise<void> {
  const { db, clock } = context
  await db.transaction(async (trx) => {
    await db.dialect.serialize(trx, ACCOUNTS_LOCK)
    await removeOld(trx, clock())
    await tellClosed(context, audit, trx, null, await closeOverdue(trx, clock()))
  })
}

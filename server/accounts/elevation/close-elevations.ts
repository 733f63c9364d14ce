import type { Caller } from '../../../contract/route.ts'
import type { ElevationTable } from '../../db/rows/account-tables.ts'
import type { Trx } from '../../db/database.ts'
import { voters } from '../../db/votes/voters.ts'
import type { AccountsContext } from '../accounts-context.ts'
import type { Audit } from '../audit/audit.ts'
import { doubtSignIns } from '../sessions/listeners.ts'
import { needsOf } from './elevation-rows.ts'

type Closed = ElevationTable
type Which = Partial<Pick<ElevationTable, 'elevation_id' | 'user_id' | 'role_id' | 'status'>>

/** How long what became of a request is listed. */
const KEEP = 90 * 24 * 3_600_000
/** Rows closed or removed by one sweep. */
const SWEPT_AT_ONCE = 100

/**
 * Ends the open ones of a user or role, in the transaction of what ends them, and under ACCOUNTS_LOCK. From its commit on
 * the own role counts. `tellClosed` records it, as the last thing of the transaction.
 */
export async function closeOpen(
  trx: Trx,
  which: Which,
  { now, by }: { readonly now: number; readonly by: Pick<Caller, 'username'> | null },
): Promise<Closed[]> {
  let open = trx
    .updateTable('elevation')
    .set({ status: 'ended', closed_at: now, closed_by: by?.username ?? null })
    .where('closed_at', 'is', null)
    .returningAll()
  for (const [column, value] of Object.entries(which) as [keyof Which, string][])
    open = open.where(column, '=', value as never)
  return open.execute()
}

/** Closes those whose time is over; which they are has counted since, whether or not this runs. Under ACCOUNTS_LOCK. */
export async function closeOverdue(trx: Trx, now: number, user_id?: string): Promise<Closed[]> {
  const overdue = trx
    .selectFrom('elevation')
    .select('elevation_id')
    .where('closed_at', 'is', null)
    .where('ends_at', '<=', now)
    .$if(user_id !== undefined, (some) => some.where('user_id', '=', user_id!))
    .limit(SWEPT_AT_ONCE)
  return trx
    .updateTable('elevation')
    .set((row) => ({
      status: row.case().when('status', '=', 'requested').then('expired').else('ended').end() as never,
      closed_at: row.ref('ends_at'),
    }))
    .where('elevation_id', 'in', overdue)
    .returningAll()
    .execute()
}

/** Removes those that were closed long ago, with their votes. */
export async function removeOld(trx: Trx, now: number): Promise<void> {
  const old = await trx
    .selectFrom('elevation')
    .select('elevation_id')
    .where('closed_at', '<', now - KEEP)
    .limit(SWEPT_AT_ONCE)
    .execute()
  await removeElevations(
    trx,
    old.map(({ elevation_id }) => elevation_id),
  )
}

/** Removes all of a user or role, with their votes. */
export async function removeAll(trx: Trx, column: 'user_id' | 'role_id', value: string): Promise<void> {
  const rows = await trx.selectFrom('elevation').select('elevation_id').where(column, '=', value).execute()
  await removeElevations(
    trx,
    rows.map(({ elevation_id }) => elevation_id),
  )
}

async function removeElevations(trx: Trx, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await trx.deleteFrom('vote').where('subject_id', 'in', ids).execute()
  await trx.deleteFrom('elevation').where('elevation_id', 'in', ids).execute()
}

/** Records how these were closed, and tells everybody concerned: the last thing of its transaction. */
export async function tellClosed(
  context: Pick<AccountsContext, 'db' | 'tellElevation'>,
  audit: Audit,
  trx: Trx,
  actor: Caller | null,
  closed: readonly Closed[],
): Promise<void> {
  await recordClosed(audit, trx, actor, closed)
  await tellAll(context, trx, closed)
}

/** In the audit log. The actor is whoever closes them, not of those that time has closed. */
export async function recordClosed(
  audit: Audit,
  trx: Trx,
  by: Caller | null,
  closed: readonly Closed[],
): Promise<void> {
  for (const row of closed) {
    const { elevation_id, user_id, status, role, own_role, started_at } = row
    const actor = row.closed_by === null ? null : by
    const details = { user_id, role, own_role, started: started_at !== null }
    const outcome = status === 'ended' ? 'ok' : 'refused'
    await audit.record(trx, { actor, action: `elevation.${status}`, target: elevation_id, outcome, details })
  }
}

/**
 * Makes open streams of these users look again, and tells them and those who may vote. Once in a transaction, and last:
 * the locks of events come after that of the audit log, in one order.
 */
export async function tellAll(
  { db, tellElevation }: Pick<AccountsContext, 'db' | 'tellElevation'>,
  trx: Trx,
  rows: readonly ElevationTable[],
): Promise<void> {
  if (rows.length === 0) return
  const told = new Set<string>()
  for (const row of rows) {
    doubtSignIns(db, trx, row.user_id)
    told.add(row.user_id)
    for (const user_id of await voters(trx, { asker: row.user_id, needs: needsOf(row) })) told.add(user_id)
  }
  // Sorted, so that two transactions never wait for one another.
  await tellElevation(trx, [...told].sort())
}

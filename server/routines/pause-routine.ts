import { FAILURES_LIMIT, type PausedBy } from '../../contract/routine-values.ts'
import type { Trx } from '../db/database.ts'
import type { Caller } from '../../contract/route.ts'
import type { RoutinesContext } from './ports.ts'
import type { RoutineRow } from './routine-rows.ts'

/** Pauses a routine that the transaction has locked, and tells its owner unless they did it themselves. */
export async function pauseRoutine(
  { audit, tellNotice }: Pick<RoutinesContext, 'audit' | 'tellNotice'>,
  trx: Trx,
  row: RoutineRow,
  {
    by,
    actor,
    at,
  }: {
    readonly by: PausedBy
    readonly actor: Pick<Caller, 'user_id' | 'username' | 'elevated'> | null
    readonly at: number
  },
): Promise<void> {
  const { routine_id, user_id, name } = row
  const revision = row.revision + 1
  await trx
    .updateTable('routine')
    .set({ paused_by: by, paused_at: at, next_fire_at: null, revision })
    .where('routine_id', '=', routine_id)
    .execute()
  await audit.record(trx, {
    actor,
    action: by === 'admin' ? 'routine.stopped' : 'routine.paused',
    target: routine_id,
    outcome: 'ok',
    details: { routine: name, by },
  })
  if (by === 'hand') return
  await tellNotice(trx, {
    event: 'routine_paused',
    to: { user_ids: [user_id] },
    ref_id: routine_id,
    path: `/routines/${routine_id}`,
    name,
    detail: { by },
    key: `routine_paused ${routine_id} ${revision}`,
  })
}

/** Counts something that went wrong; the third in a row pauses the routine, which the transaction has locked. */
export async function countFailure(
  context: Pick<RoutinesContext, 'audit' | 'tellNotice'>,
  trx: Trx,
  row: RoutineRow,
  at: number,
): Promise<number> {
  const failures = row.failures + 1
  await trx.updateTable('routine').set({ failures }).where('routine_id', '=', row.routine_id).execute()
  if (failures >= FAILURES_LIMIT && row.paused_by === null)
    await pauseRoutine(context, trx, row, { by: 'failures', actor: null, at })
  return failures
}

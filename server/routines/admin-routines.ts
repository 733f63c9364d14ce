import type { AdminRoutine } from '../../contract/routine-values.ts'
import type { Caller } from '../../contract/route.ts'
import { iso, isoOrNull } from '../kernel/time.ts'
import { holdRoutine } from './fire.ts'
import { pauseRoutine } from './pause-routine.ts'
import type { RoutinesContext } from './ports.ts'
import { noRoutine, scheduleOf } from './routine-rows.ts'

const ACTIVE = ['thinking', 'acting', 'waiting_approval'] as const

/** Routines of everybody, newest first: whose they are and when they run, never what they do. */
export async function listAllRoutines(
  { db }: Pick<RoutinesContext, 'db'>,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
): Promise<{ items: AdminRoutine[]; next_cursor: string | null }> {
  const rows = await db.read
    .selectFrom('routine')
    .innerJoin('user', 'user.user_id', 'routine.user_id')
    .select(['routine_id', 'routine.user_id', 'username', 'name', 'kind', 'cron', 'zone', 'paused_by', 'failures'])
    .select(['next_fire_at', 'routine.created_at'])
    .select((of) =>
      of
        .selectFrom('routine_fire')
        .innerJoin('run', 'run.run_id', 'routine_fire.run_id')
        .whereRef('routine_fire.routine_id', '=', 'routine.routine_id')
        .where('open', '=', 1)
        .where('run.status', 'in', ACTIVE)
        .select(({ fn }) => fn.countAll<number | string>().as('running'))
        .as('running'),
    )
    .$if(cursor !== undefined, (select) => select.where('routine_id', '<', cursor!))
    .orderBy('routine_id', 'desc')
    .limit(limit + 1)
    .execute()
  const kept = rows.slice(0, limit)
  return {
    items: kept.map(({ cron, zone, next_fire_at, running, created_at, ...row }) => ({
      ...row,
      schedule: scheduleOf({ cron, zone }),
      next_at: isoOrNull(next_fire_at),
      running: Number(running),
      created_at: iso(Number(created_at)),
    })),
    next_cursor: rows.length > limit ? kept.at(-1)!.routine_id : null,
  }
}

/** Stops a routine of anybody, and its runs, until an administrator gives it back. @throws {AppError} not_found */
export async function stopRoutine(
  context: RoutinesContext,
  caller: Caller,
  routine_id: string,
): Promise<{ cancelled_count: number }> {
  const { db, runs, onChanged } = context
  const at = await context.now()
  const run_ids = await db.transaction(async (trx) => {
    const row = await holdRoutine(context, trx, routine_id)
    if (row === undefined) throw noRoutine()
    const open = await trx
      .selectFrom('routine_fire')
      .innerJoin('run', 'run.run_id', 'routine_fire.run_id')
      .select('run.run_id')
      .where('routine_id', '=', routine_id)
      .where('run.status', 'in', ACTIVE)
      .execute()
    if (row.paused_by !== 'admin') {
      await pauseRoutine(context, trx, row, { by: 'admin', actor: caller, at })
      await onChanged(trx, row.user_id, routine_id)
    }
    return open.map(({ run_id }) => run_id)
  })
  return run_ids.length === 0 ? { cancelled_count: 0 } : runs.cancel(run_ids)
}

/** Gives a stopped routine back to its owner, who may let it go on. @throws {AppError} not_found */
export async function releaseRoutine(context: RoutinesContext, caller: Caller, routine_id: string): Promise<void> {
  const { db, audit, onChanged } = context
  await db.transaction(async (trx) => {
    const row = await holdRoutine(context, trx, routine_id)
    if (row === undefined || row.paused_by !== 'admin') throw noRoutine()
    await trx
      .updateTable('routine')
      .set({ paused_by: 'hand', revision: row.revision + 1 })
      .where('routine_id', '=', routine_id)
      .execute()
    const details = { routine: row.name }
    await audit.record(trx, { actor: caller, action: 'routine.released', target: routine_id, outcome: 'ok', details })
    await onChanged(trx, row.user_id, routine_id)
  })
}

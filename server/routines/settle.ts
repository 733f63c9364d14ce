import { REPORT_TRIED_S } from '../../contract/routine-values.ts'
import { say, type Sentence } from '../kernel/sentence.ts'
import { holdRoutine } from './fire.ts'
import { countFailure, pauseRoutine } from './pause-routine.ts'
import type { RoutinesContext, StoredRoutineRun } from './ports.ts'
import { type FireFacts, prepareFire } from './prepare-fire.ts'
import { packReason } from './routine-rows.ts'
import { AppError } from '../kernel/app-error.ts'

const AT_ONCE = 200
const ACTIVE = ['thinking', 'acting', 'waiting_approval'] as const

/** Entries whose run has ended, or is gone with its conversation, and that nobody has seen to end. */
export async function endedFires({
  db,
}: Pick<RoutinesContext, 'db'>): Promise<{ fire_id: string; routine_id: string }[]> {
  return db.read
    .selectFrom('routine_fire')
    .leftJoin('run', 'run.run_id', 'routine_fire.run_id')
    .select(['fire_id', 'routine_id'])
    .where('open', '=', 1)
    .where('outcome', '=', 'started')
    .where((of) => of.or([of('run.status', 'is', null), of('run.status', 'not in', ACTIVE)]))
    .orderBy('fire_id')
    .limit(AT_ONCE)
    .execute()
}

/** Counts how a run has ended: three bad ends in a row pause the routine, and its owner is told. */
export async function settle(
  context: RoutinesContext,
  { fire_id, routine_id }: { readonly fire_id: string; readonly routine_id: string },
): Promise<void> {
  const { db, tellNotice, onChanged } = context
  const at = await context.now()
  await db.transaction(async (trx) => {
    const row = await holdRoutine(context, trx, routine_id)
    if (row === undefined) return
    const closed = await trx
      .updateTable('routine_fire')
      .set({ open: 0 })
      .where('fire_id', '=', fire_id)
      .where('open', '=', 1)
      .returning('run_id')
      .executeTakeFirst()
    if (closed === undefined) return
    const run = await trx
      .selectFrom('run')
      .select(['status', 'error_code'])
      .where('run_id', '=', closed.run_id)
      .executeTakeFirst()
    const stopped = run?.error_code?.startsWith('over_') === true
    const failed = stopped || run?.status === 'failed' || run?.status === 'interrupted'
    if (run?.status === 'done' && row.failures > 0)
      await trx.updateTable('routine').set({ failures: 0 }).where('routine_id', '=', routine_id).execute()
    // Whoever looks next makes it, whatever happens to this process meanwhile.
    if (run?.status === 'done' && row.report === 1)
      await trx
        .updateTable('routine_fire')
        .set({ report_until: at + REPORT_TRIED_S * 1000 })
        .where('fire_id', '=', fire_id)
        .execute()
    if (failed) {
      const failures = await countFailure(context, trx, row, at)
      const event = stopped ? 'routine_stopped' : 'routine_failed'
      await tellNotice(trx, {
        event,
        to: { user_ids: [row.user_id] },
        ref_id: fire_id,
        path: `/routines/${routine_id}`,
        name: row.name,
        detail: { failures },
        key: `${event} ${fire_id}`,
      })
    }
    await onChanged(trx, row.user_id, routine_id)
  })
}

/** Entries that wait for a run that has ended. */
export async function waitingFires({
  db,
}: Pick<RoutinesContext, 'db'>): Promise<{ fire_id: string; routine_id: string }[]> {
  return db.read
    .selectFrom('routine_fire as waiting')
    .select(['fire_id', 'routine_id'])
    .where('open', '=', 1)
    .where('outcome', '=', 'queued')
    .where((of) =>
      of.not(
        of.exists(
          of
            .selectFrom('routine_fire as other')
            .select('other.fire_id')
            .whereRef('other.routine_id', '=', 'waiting.routine_id')
            .where('other.open', '=', 1)
            .where('other.outcome', '=', 'started'),
        ),
      ),
    )
    .limit(AT_ONCE)
    .execute()
}

/** Starts what has waited for the run before it; what has become impossible meanwhile is refused. */
export async function startWaiting(
  context: RoutinesContext,
  { fire_id, routine_id }: { readonly fire_id: string; readonly routine_id: string },
): Promise<void> {
  const { db, runs, audit, onChanged } = context
  const routine = await db.read
    .selectFrom('routine')
    .selectAll()
    .where('routine_id', '=', routine_id)
    .executeTakeFirst()
  const waiting = await db.read
    .selectFrom('routine_fire')
    .select(['facts', 'cause'])
    .where('fire_id', '=', fire_id)
    .executeTakeFirst()
  if (routine === undefined || waiting === undefined) return
  const facts = waiting.facts === null ? null : (JSON.parse(waiting.facts) as FireFacts)
  const prepared = await prepareFire(context, routine, { fire_id, facts })
  const at = await context.now()
  const begin = (refusal: Sentence | null): Promise<StoredRoutineRun | null> =>
    db.transaction(async (trx) => {
      const row = await holdRoutine(context, trx, routine_id)
      if (row === undefined || row.revision !== routine.revision) return null
      const paused = row.paused_by === null ? null : say`The routine is paused.`
      const why = paused ?? refusal ?? ('refused' in prepared ? prepared.refused : null)
      const open = why === null && 'open' in prepared ? prepared.open : null
      const changed = await trx
        .updateTable('routine_fire')
        .set({
          outcome: why === null ? 'started' : paused === null ? 'refused' : 'skipped',
          reason: packReason(why),
          run_id: 'run_id' in prepared && open !== null ? prepared.run_id : null,
          facts: null,
          open: open === null ? 0 : 1,
        })
        .where('fire_id', '=', fire_id)
        .where('outcome', '=', 'queued')
        .where('open', '=', 1)
        .executeTakeFirst()
      if (changed.numUpdatedRows === 0n) return null
      if (paused === null && 'refused' in prepared && prepared.pause !== undefined)
        await pauseRoutine(context, trx, row, { by: prepared.pause, actor: null, at })
      await audit.record(trx, {
        actor: null,
        action: 'routine.fired',
        target: routine_id,
        outcome: why === null ? 'ok' : 'refused',
        details: { routine: row.name, cause: waiting.cause, outcome: why === null ? 'started' : 'refused' },
      })
      const run = open === null ? null : await open(trx)
      await onChanged(trx, row.user_id, routine_id)
      return run
    })
  let run: StoredRoutineRun | null
  try {
    run = await begin(null)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    run = await begin(error.detail)
  }
  if (run !== null) runs.begin(run)
}

import type { FireCause, FireResult, PausedBy } from '../../contract/routine-values.ts'
import type { Trx } from '../db/database.ts'
import { AppError } from '../kernel/app-error.ts'
import { newId } from '../kernel/id.ts'
import { say, type Sentence } from '../kernel/sentence.ts'
import { countFailure, pauseRoutine } from './pause-routine.ts'
import type { RoutinesContext, StoredRoutineRun } from './ports.ts'
import { type FireFacts, type Prepared, prepareFire } from './prepare-fire.ts'
import { fireRow, type RoutineRow } from './routine-rows.ts'

/** How often a routine may change between being read and being fired before it is left to the next time. */
const TRIES = 3
const DAY = 86_400_000

/** One reason to run a routine. */
export interface Fire {
  readonly due_key: string
  readonly cause: FireCause
  readonly due_at: number
  readonly facts: FireFacts | null
  /** Who did it; null: nobody, it was due. */
  readonly by: { readonly user_id: string; readonly username: string } | null
}

export interface FireOutcome {
  readonly fire_id: string
  readonly outcome: FireResult
  readonly run_id: string | null
}

/** The row, locked until the transaction ends; undefined when it is gone. */
export async function holdRoutine(
  { db }: Pick<RoutinesContext, 'db'>,
  trx: Trx,
  routine_id: string,
): Promise<RoutineRow | undefined> {
  await db.dialect.serialize(trx, `routine:${routine_id}`)
  return trx.selectFrom('routine').selectAll().where('routine_id', '=', routine_id).executeTakeFirst()
}

/**
 * Runs a routine for one reason, once: the entry of the history, its run and everything that follows are one transaction,
 * under the lock of the routine and a unique key. Null when the routine is gone.
 */
export async function fire(
  context: RoutinesContext,
  routine_id: string,
  what: Fire,
  /** Called first in the transaction; false: what made it due is no more. */
  still: (trx: Trx, row: RoutineRow) => Promise<boolean> = () => Promise.resolve(true),
): Promise<FireOutcome | null> {
  const { db, runs } = context
  let refusal: Sentence | null = null
  for (let tries = 0; tries < TRIES; tries++) {
    const routine = await db.read
      .selectFrom('routine')
      .selectAll()
      .where('routine_id', '=', routine_id)
      .executeTakeFirst()
    if (routine === undefined) return null
    const fire_id = newId('fire')
    const at = await context.now()
    const prepared: Prepared =
      refusal === null ? await prepareFire(context, routine, { fire_id, facts: what.facts }) : { refused: refusal }
    try {
      const done = await db.transaction((trx) =>
        fireWithin(context, trx, { routine, what, fire_id, at, prepared, passes: refusal !== null, still }),
      )
      if (done === 'changed') continue
      if (done?.run) runs.begin(done.run)
      return done?.outcome ?? null
    } catch (error) {
      // Such as a quota that is used up: known only once the message is counted. Nothing of it was kept.
      if (!(error instanceof AppError) || refusal !== null) throw error
      refusal = error.detail
    }
  }
  return null
}

interface Attempt {
  readonly routine: RoutineRow
  readonly what: Fire
  readonly fire_id: string
  readonly at: number
  readonly prepared: Prepared
  /** What refuses it goes away by itself, such as a quota that is used up. */
  readonly passes: boolean
  readonly still: (trx: Trx, row: RoutineRow) => Promise<boolean>
}

async function fireWithin(
  context: RoutinesContext,
  trx: Trx,
  { routine, what, fire_id, at, prepared, passes, still }: Attempt,
): Promise<{ outcome: FireOutcome; run: StoredRoutineRun | null } | 'changed' | null> {
  const { routine_id, user_id } = routine
  const row = await holdRoutine(context, trx, routine_id)
  if (row === undefined) return null
  const before = await trx
    .selectFrom('routine_fire')
    .select(['fire_id', 'outcome', 'run_id', 'created_at', 'repeated_at'])
    .where('routine_id', '=', routine_id)
    .where('due_key', '=', what.due_key)
    .executeTakeFirst()
  if (row.revision !== routine.revision) return 'changed'
  if (!(await still(trx, row))) return null
  if (before) {
    // An alert that lasts for months is repeated for as long: what stands for it must not be forgotten meanwhile.
    if (at - Number(before.repeated_at ?? before.created_at) > DAY)
      await trx.updateTable('routine_fire').set({ repeated_at: at }).where('fire_id', '=', before.fire_id).execute()
    const { fire_id: known_id, outcome, run_id } = before
    return { outcome: { fire_id: known_id, outcome, run_id }, run: null }
  }
  const { outcome, reason } = await verdict(trx, row, what, prepared)
  const starts = outcome === 'started' && 'open' in prepared
  await trx
    .insertInto('routine_fire')
    .values(
      fireRow({
        fire_id,
        routine_id,
        user_id,
        due_key: what.due_key,
        cause: what.cause,
        due_at: what.due_at,
        outcome,
        reason,
        times: 1,
        run_id: starts ? prepared.run_id : null,
        facts: outcome === 'queued' && what.facts !== null ? JSON.stringify(what.facts) : null,
        open: starts || outcome === 'queued' ? 1 : 0,
        created_at: at,
      }),
    )
    .execute()
  const pause: PausedBy | undefined = 'refused' in prepared && outcome === 'refused' ? prepared.pause : undefined
  if (pause !== undefined) await pauseRoutine(context, trx, row, { by: pause, actor: null, at })
  else if (outcome === 'refused' && what.cause === 'time' && !passes) await countFailure(context, trx, row, at)
  await context.audit.record(trx, {
    actor: what.by,
    action: 'routine.fired',
    target: routine_id,
    outcome: outcome === 'refused' ? 'refused' : 'ok',
    details: { routine: row.name, cause: what.cause, outcome, ...(starts && { run_id: prepared.run_id }) },
  })
  // Message and run come last: their events are the last thing of a transaction.
  const run = starts ? await prepared.open(trx) : null
  await context.onChanged(trx, user_id, routine_id)
  return { outcome: { fire_id, outcome, run_id: run?.run_id ?? null }, run }
}

/** What becomes of a fire, under the lock of its routine. */
async function verdict(
  trx: Trx,
  row: RoutineRow,
  { cause }: Fire,
  prepared: Prepared,
): Promise<{ outcome: FireResult; reason: Sentence | null }> {
  // By hand, a paused routine can be tried out; what an administrator has stopped stays so.
  if (row.paused_by !== null && (cause !== 'hand' || row.paused_by === 'admin'))
    return { outcome: 'skipped', reason: say`The routine is paused.` }
  const open = await trx
    .selectFrom('routine_fire')
    .leftJoin('run', 'run.run_id', 'routine_fire.run_id')
    .select(['outcome', 'run.status'])
    .where('routine_id', '=', row.routine_id)
    .where('open', '=', 1)
    .execute()
  const waits = open.some(({ outcome }) => outcome === 'queued')
  const runs = open.some(({ status }) => status === 'thinking' || status === 'acting' || status === 'waiting_approval')
  if (waits || runs) {
    if (row.overlap === 'queue_one' && !waits) return { outcome: 'queued', reason: null }
    return { outcome: 'skipped', reason: say`The run before it had not ended.` }
  }
  return 'refused' in prepared ? { outcome: 'refused', reason: prepared.refused } : { outcome: 'started', reason: null }
}

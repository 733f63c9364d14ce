import type { Trx } from '../db/database.ts'
import { say } from '../kernel/sentence.ts'
import { newId } from '../kernel/id.ts'
import { fire, holdRoutine } from './fire.ts'
import type { RoutinesContext } from './ports.ts'
import { fireRow, type RoutineRow, scheduleOf } from './routine-rows.ts'
import { timesOf, TZ_VERSION } from './schedule.ts'

/** Routines fired in one look: the others have their turn at the next one. */
const AT_ONCE = 200
/** Whoever looks comes some seconds late: until then it is not missed. */
const ON_TIME = 60_000

/** Routines whose time has come, the longest waiting first. */
export async function dueRoutines({ db }: Pick<RoutinesContext, 'db'>, now: number): Promise<RoutineRow[]> {
  return db.read
    .selectFrom('routine')
    .selectAll()
    .where('paused_by', 'is', null)
    .where('next_fire_at', '<=', now)
    .orderBy('next_fire_at')
    .limit(AT_ONCE)
    .execute()
}

/**
 * Fires a routine whose time has come. Of several times that have passed, the newest is made up for if that is not too long
 * ago; the others are one entry of the history. Its next time is moved on in the same transaction: whoever comes second
 * finds nothing due.
 */
export async function fireDue(context: RoutinesContext, found: RoutineRow, now: number): Promise<void> {
  const routine = await retimed(context, found, now)
  const schedule = scheduleOf(routine)
  if (schedule === null || routine.next_fire_at === null || routine.next_fire_at > now) return
  const first = Number(routine.next_fire_at)
  const times = timesOf(schedule)
  const { count, newest } = times.until(first, now)
  const next = times.after(newest)
  const makesUp = now - newest <= Math.max(routine.catch_up_s * 1000, ON_TIME)
  const missed = makesUp ? count - 1 : count
  // Before the entry of the newest: ids are the order of the history.
  const missed_id = newId('fire')
  const moveOn = async (trx: Trx, row: RoutineRow): Promise<boolean> => {
    const moved = await trx
      .updateTable('routine')
      .set({ next_fire_at: next, tz: TZ_VERSION })
      .where('routine_id', '=', row.routine_id)
      .where('revision', '=', routine.revision)
      .where('next_fire_at', '=', first)
      .where('paused_by', 'is', null)
      .executeTakeFirst()
    if (moved.numUpdatedRows === 0n) return false
    if (missed === 0) return true
    const { routine_id, user_id } = row
    await trx
      .insertInto('routine_fire')
      .values(
        fireRow({
          fire_id: missed_id,
          routine_id,
          user_id,
          due_key: dueKey(first),
          cause: 'time',
          due_at: first,
          outcome: 'missed',
          reason: makesUp
            ? say`A newer time was made up for.`
            : say`Its time had passed for more than ${routine.catch_up_s} seconds.`,
          times: missed,
          run_id: null,
          facts: null,
          open: 0,
          created_at: now,
        }),
      )
      .onConflict((conflict) => conflict.columns(['routine_id', 'due_key']).doNothing())
      .execute()
    return true
  }
  if (makesUp) {
    const what = { due_key: dueKey(newest), cause: 'time' as const, due_at: newest, facts: null, by: null }
    await fire(context, routine.routine_id, what, moveOn)
    return
  }
  const { db, audit, onChanged } = context
  await db.transaction(async (trx) => {
    const row = await holdRoutine(context, trx, routine.routine_id)
    if (row === undefined || !(await moveOn(trx, row))) return
    const details = { routine: routine.name, cause: 'time', outcome: 'missed', times: missed }
    const target = routine.routine_id
    await audit.record(trx, { actor: null, action: 'routine.fired', target, outcome: 'failed', details })
    await onChanged(trx, routine.user_id, routine.routine_id)
  })
}

function dueKey(due_at: number): string {
  return `c:${due_at}`
}

/**
 * Works out next times anew that were found with other time zone data, such as those of the Node before: once, when a process
 * begins to look.
 */
export async function retime(context: Pick<RoutinesContext, 'db'>, now: number): Promise<void> {
  const others = await context.db.read
    .selectFrom('routine')
    .selectAll()
    .where('next_fire_at', 'is not', null)
    .where((of) => of.or([of('tz', 'is', null), of('tz', '!=', TZ_VERSION)]))
    .execute()
  for (const row of others) await retimed(context, row, now)
}

/**
 * A routine with its next time by the time zone data of this process. It stands for the same time of its schedule as before, so
 * none is fired twice, and none is left out.
 */
async function retimed({ db }: Pick<RoutinesContext, 'db'>, row: RoutineRow, now: number): Promise<RoutineRow> {
  const schedule = scheduleOf(row)
  if (row.tz === TZ_VERSION || schedule === null || row.next_fire_at === null) return row
  const set = { next_fire_at: timesOf(schedule).anew(Number(row.next_fire_at), now), tz: TZ_VERSION }
  // Whoever was here before has it right already: what is fired is what stands there.
  await db.write
    .updateTable('routine')
    .set(set)
    .where('routine_id', '=', row.routine_id)
    .where('revision', '=', row.revision)
    .where('next_fire_at', '=', row.next_fire_at)
    .execute()
  return { ...row, ...set }
}

import {
  ROUTINES_LIMIT,
  type Routine,
  type RoutineLimits,
  type RoutineWork,
  type Schedule,
} from '../../contract/routine-values.ts'
import type { Caller } from '../../contract/route.ts'
import { parsePrompt } from '../../contract/variables.ts'
import type { Trx } from '../db/database.ts'
import type { RoutineTable } from '../db/rows/routine-tables.ts'
import { AppError } from '../kernel/app-error.ts'
import { newId } from '../kernel/id.ts'
import { say, Sentence } from '../kernel/sentence.ts'
import { holdRoutine } from './fire.ts'
import { ROUTINES_TOPIC } from './known-routines.ts'
import { pauseRoutine } from './pause-routine.ts'
import type { RoutinesContext } from './ports.ts'
import { about, nameColumns, scopeText, workColumns } from './routine-columns.ts'
import { findRoutine, nextTimes, noRoutine, type RoutineRow, scheduleOf, shown, workOf } from './routine-rows.ts'
import { readSchedule, TZ_VERSION } from './schedule.ts'

const WEEK_MS = 7 * 86_400_000
const MOST_IN_WEEK = 2000

export interface NewRoutine extends RoutineLimits {
  readonly name: string
  readonly work: RoutineWork
  readonly scope: readonly string[]
  readonly schedule: Schedule | null
  /** Whether its runs end with a report. */
  readonly report: boolean
}

export type RoutineChange = { readonly [K in keyof NewRoutine]?: NewRoutine[K] | undefined } & {
  readonly revision?: number | undefined
}

/** A user's routines: what they have planned. Other users' routines do not exist for the caller. */
export class Routines {
  readonly #context: RoutinesContext

  constructor(context: RoutinesContext) {
    this.#context = context
  }

  async list(caller: Caller): Promise<Routine[]> {
    const rows = await this.#rows(caller)
    return shown(this.#context.db.read, rows, { titles: await this.#titles(rows), language: caller.language })
  }

  /** @throws {AppError} not_found */
  async read(caller: Caller, routine_id: string): Promise<Routine> {
    const row = await findRoutine(this.#context.db.read, caller.user_id, routine_id)
    return this.#shown(caller, row)
  }

  /** All times of the next seven days, in order. */
  async week(caller: Caller): Promise<{ routine_id: string; at: number }[]> {
    const end = (await this.#context.now()) + WEEK_MS
    const items: { routine_id: string; at: number }[] = []
    const rows = await this.#rows(caller)
    const each = Math.ceil(MOST_IN_WEEK / Math.max(1, rows.length))
    for (const row of rows)
      for (const at of nextTimes(row, each)) {
        if (at > end) break
        items.push({ routine_id: row.routine_id, at })
      }
    return items.toSorted((a, b) => a.at - b.at).slice(0, MOST_IN_WEEK)
  }

  /** @throws {AppError} routine_exists, too_many_routines, bad_schedule, bad_routine, engine_not_allowed */
  async create(caller: Caller, { name, work, scope, schedule, report, ...limits }: NewRoutine): Promise<Routine> {
    const { db, audit, onChanged } = this.#context
    const now = await this.#context.now()
    await this.#check(caller, work, schedule)
    const { user_id } = caller
    const row: RoutineTable = {
      routine_id: newId('routine'),
      user_id,
      ...nameColumns(name),
      ...workColumns(work),
      scope: scopeText(scope),
      ...this.#scheduleColumns(schedule, now),
      report: Number(report),
      ...limits,
      failures: 0,
      paused_by: null,
      paused_at: null,
      revision: 1,
      created_at: now,
      updated_at: now,
    }
    await this.#unique(() =>
      db.transaction(async (trx) => {
        await db.dialect.serialize(trx, `routines:${user_id}`)
        await refuseTooMany(trx, user_id)
        await trx.insertInto('routine').values(row).execute()
        const { routine_id: target } = row
        if (await isOnly(trx, target)) db.wake(trx, ROUTINES_TOPIC)
        await audit.record(trx, {
          actor: caller,
          action: 'routine.created',
          target,
          outcome: 'ok',
          details: about(row),
        })
        await onChanged(trx, user_id, target)
      }),
    )
    return this.#shown(caller, row)
  }

  /** Changes what is given. @throws {AppError} not_found, routine_changed, and as `create` */
  async update(caller: Caller, routine_id: string, change: RoutineChange): Promise<Routine> {
    const { db, audit, onChanged } = this.#context
    const now = await this.#context.now()
    const known = await findRoutine(db.read, caller.user_id, routine_id)
    const { name, work, scope, schedule, report, revision, ...limits } = change
    if (work !== undefined || schedule !== undefined)
      await this.#check(caller, work ?? workOf(known), schedule === undefined ? scheduleOf(known) : schedule)
    const row = await this.#unique(() =>
      db.transaction(async (trx) => {
        const before = await holdRoutine(this.#context, trx, routine_id)
        if (before === undefined || before.user_id !== caller.user_id) throw noRoutine()
        if (before.revision !== known.revision || (revision !== undefined && before.revision !== revision))
          throw new AppError(
            'routine_changed',
            say`The routine was changed meanwhile. Look at it again before you save.`,
          )
        const given = Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined))
        const after: RoutineRow = {
          ...before,
          ...(name !== undefined && nameColumns(name)),
          ...(work !== undefined && workColumns(work)),
          ...(scope !== undefined && { scope: scopeText(scope) }),
          ...(schedule !== undefined && this.#scheduleColumns(schedule, now)),
          ...(report !== undefined && { report: Number(report) }),
          ...given,
          revision: before.revision + 1,
          updated_at: Math.max(now, Number(before.updated_at)),
        }
        if (after.paused_by !== null) after.next_fire_at = null
        const { routine_id: _, user_id, ...set } = after
        await trx.updateTable('routine').set(set).where('routine_id', '=', routine_id).execute()
        await audit.record(trx, {
          actor: caller,
          action: 'routine.updated',
          target: routine_id,
          outcome: 'ok',
          details: { before: about(before), after: about(after) },
        })
        await onChanged(trx, user_id, routine_id)
        return after
      }),
    )
    return this.#shown(caller, row)
  }

  /** @throws {AppError} not_found */
  async remove(caller: Caller, routine_id: string): Promise<void> {
    const { db, audit, onChanged } = this.#context
    await db.transaction(async (trx) => {
      const row = await holdRoutine(this.#context, trx, routine_id)
      if (row === undefined || row.user_id !== caller.user_id) throw noRoutine()
      if (await isOnly(trx, routine_id)) db.wake(trx, ROUTINES_TOPIC)
      await trx.deleteFrom('routine').where('routine_id', '=', routine_id).execute()
      const details = { name: row.name }
      await audit.record(trx, { actor: caller, action: 'routine.deleted', target: routine_id, outcome: 'ok', details })
      await onChanged(trx, row.user_id, routine_id)
    })
  }

  /** @throws {AppError} not_found */
  async pause(caller: Caller, routine_id: string): Promise<Routine> {
    const { db, onChanged } = this.#context
    const at = await this.#context.now()
    const row = await db.transaction(async (trx) => {
      const before = await holdRoutine(this.#context, trx, routine_id)
      if (before === undefined || before.user_id !== caller.user_id) throw noRoutine()
      if (before.paused_by !== null) return before
      await pauseRoutine(this.#context, trx, before, { by: 'hand', actor: caller, at })
      await onChanged(trx, before.user_id, routine_id)
      return findRoutine(trx, caller.user_id, routine_id)
    })
    return this.#shown(caller, row)
  }

  /** Goes on with its next time from now on. @throws {AppError} not_found, routine_stopped */
  async resume(caller: Caller, routine_id: string): Promise<Routine> {
    const { db, audit, onChanged } = this.#context
    const now = await this.#context.now()
    const row = await db.transaction(async (trx) => {
      const before = await holdRoutine(this.#context, trx, routine_id)
      if (before === undefined || before.user_id !== caller.user_id) throw noRoutine()
      if (before.paused_by === null) return before
      if (before.paused_by === 'admin')
        throw new AppError('routine_stopped', say`An administrator has stopped this routine, and can give it back.`)
      const set = {
        ...this.#scheduleColumns(scheduleOf(before), now),
        paused_by: null,
        paused_at: null,
        failures: 0,
        revision: before.revision + 1,
      }
      await trx.updateTable('routine').set(set).where('routine_id', '=', routine_id).execute()
      const details = { routine: before.name, was: before.paused_by }
      await audit.record(trx, { actor: caller, action: 'routine.resumed', target: routine_id, outcome: 'ok', details })
      await onChanged(trx, before.user_id, routine_id)
      return { ...before, ...set }
    })
    return this.#shown(caller, row)
  }

  async #rows({ user_id }: Caller): Promise<RoutineRow[]> {
    return this.#context.db.read
      .selectFrom('routine')
      .selectAll()
      .where('user_id', '=', user_id)
      .orderBy('name_folded')
      .execute()
  }

  async #shown(caller: Caller, row: RoutineRow): Promise<Routine> {
    const titles = await this.#titles([row])
    return (await shown(this.#context.db.read, [row], { titles, language: caller.language }))[0]!
  }

  async #titles(rows: readonly RoutineRow[]): Promise<Map<string, string>> {
    const { db, procedures } = this.#context
    const titles = new Map<string, string>()
    for (const row of rows) {
      const work = workOf(row)
      if (work.kind === 'procedure' && procedures !== null)
        titles.set(row.routine_id, await procedures.title(db.read, work))
    }
    return titles
  }

  /** @throws {AppError} bad_schedule, bad_routine, engine_not_allowed */
  async #check(caller: Caller, work: RoutineWork, schedule: Schedule | null): Promise<void> {
    const { db, procedures, runs } = this.#context
    if (schedule !== null) {
      const times = readSchedule(schedule, await this.#context.now())
      if (times instanceof Sentence) throw new AppError('bad_schedule', times)
    }
    if (work.kind === 'procedure') {
      if (procedures === null) throw new AppError('bad_routine', say`Procedures cannot be run here.`)
      const why = await procedures.check(db.read, caller.user_id, work)
      if (why !== null) throw new AppError('bad_routine', why)
      return
    }
    if (work.engine !== null) runs.checkEngine(caller, work.engine)
    const [variable] = parsePrompt(work.text).variables
    if (schedule !== null && variable !== undefined)
      throw new AppError('bad_routine', say`Nobody is there to fill in ${variable.name}: write a value instead.`)
  }

  #scheduleColumns(schedule: Schedule | null, now: number) {
    if (schedule === null) return { cron: null, zone: null, next_fire_at: null, tz: null }
    const times = readSchedule(schedule, now)
    const next_fire_at = times instanceof Sentence ? null : times.after(now)
    return { cron: schedule.cron, zone: schedule.zone, next_fire_at, tz: TZ_VERSION }
  }

  /** @throws {AppError} routine_exists */
  async #unique<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (!this.#context.db.isUniqueViolation(error)) throw error
      throw new AppError('routine_exists', say`You have a routine with this name already.`)
    }
  }
}

/** Whether nobody has any other: only then do other processes begin, or end, to look. */
async function isOnly(trx: Trx, routine_id: string): Promise<boolean> {
  const other = trx.selectFrom('routine').select('routine_id').where('routine_id', '!=', routine_id).limit(1)
  return (await other.executeTakeFirst()) === undefined
}

/** @throws {AppError} too_many_routines */
async function refuseTooMany(trx: Trx, user_id: string): Promise<void> {
  const { count } = await trx
    .selectFrom('routine')
    .select(({ fn }) => fn.countAll<number | string>().as('count'))
    .where('user_id', '=', user_id)
    .executeTakeFirstOrThrow()
  if (Number(count) >= ROUTINES_LIMIT)
    throw new AppError('too_many_routines', say`You may have at most ${ROUTINES_LIMIT} routines. Delete one first.`)
}

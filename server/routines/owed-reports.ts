import { REPORT_TRIED_S } from '../../contract/routine-values.ts'
import type { Trx } from '../db/database.ts'
import { say } from '../kernel/sentence.ts'
import type { RoutinesContext, SettleReport } from './ports.ts'

const AT_ONCE = 200
const FIRST_PAUSE = 15_000
const LONGEST_PAUSE = 3_600_000

/** Entries whose run has ended well, whose report is not there, and that are to be tried now. */
export async function owedReports({ db }: Pick<RoutinesContext, 'db'>, now: number) {
  return db.read
    .selectFrom('routine_fire')
    .innerJoin('routine', 'routine.routine_id', 'routine_fire.routine_id')
    .innerJoin('user', 'user.user_id', 'routine.user_id')
    .select(['fire_id', 'run_id', 'report_until', 'routine.routine_id', 'routine.name'])
    .select(['routine.user_id', 'user.language'])
    .where('report_until', 'is not', null)
    .where((of) => of.or([of('report_next_at', 'is', null), of('report_next_at', '<=', now)]))
    .orderBy('fire_id')
    .limit(AT_ONCE)
    .execute()
}

type OwedReport = Awaited<ReturnType<typeof owedReports>>[number]

/**
 * Makes a report that is owed. What goes wrong leaves it owed, even where it ends the process: it is tried again after a
 * pause, for a day, and then its owner is told that there is none.
 */
export async function endWithReport(
  context: RoutinesContext,
  owed: OwedReport,
  { now, signal }: { readonly now: number; readonly signal: AbortSignal },
): Promise<void> {
  if (!(await take(context, owed, now))) return
  const { db, reportEnded, tellNotice, log } = context
  const { run_id, name, routine_id } = owed
  const settle = settling(context, owed)
  const isLast = now >= Number(owed.report_until)
  try {
    const outcome = run_id === null ? null : await reportEnded(run_id, { name, settle, signal })
    if (outcome === null || (outcome === 'active' && isLast)) await db.transaction((trx) => settle(trx))
  } catch (error) {
    if (!isLast || signal.aborted) throw error
    log.error({ err: error, routine_id }, 'a report was given up')
    await db.transaction((trx) => settle(trx, () => tellGivenUp(tellNotice, trx, owed)))
  }
}

/**
 * Moves on when it is tried next, by compare-and-set: false where another process has. It waits for as long as it has been
 * owed, so pauses double, from 15 seconds to an hour.
 */
async function take(
  { db }: Pick<RoutinesContext, 'db'>,
  { fire_id, report_until }: OwedReport,
  now: number,
): Promise<boolean> {
  const until = Number(report_until)
  const waited = now - (until - REPORT_TRIED_S * 1000)
  const next = now + Math.min(Math.max(waited, FIRST_PAUSE), LONGEST_PAUSE)
  const taken = await db.write
    .updateTable('routine_fire')
    .set({ report_next_at: now < until ? Math.min(next, until) : next })
    .where('fire_id', '=', fire_id)
    .where('report_until', 'is not', null)
    .where((of) => of.or([of('report_next_at', 'is', null), of('report_next_at', '<=', now)]))
    .executeTakeFirst()
  return taken.numUpdatedRows > 0n
}

function settling({ onChanged }: RoutinesContext, { fire_id, routine_id, user_id }: OwedReport): SettleReport {
  return async (trx, tell) => {
    const settled = await trx
      .updateTable('routine_fire')
      .set({ report_until: null, report_next_at: null })
      .where('fire_id', '=', fire_id)
      .where('report_until', 'is not', null)
      .executeTakeFirst()
    if (settled.numUpdatedRows === 0n) return false
    await tell?.(trx)
    await onChanged(trx, user_id, routine_id)
    return true
  }
}

async function tellGivenUp(tellNotice: RoutinesContext['tellNotice'], trx: Trx, owed: OwedReport): Promise<void> {
  const { fire_id, routine_id, user_id, name, language } = owed
  await tellNotice(trx, {
    event: 'routine_failed',
    to: { user_ids: [user_id] },
    ref_id: fire_id,
    path: `/routines/${routine_id}`,
    name,
    detail: { reason: say`The report could not be made for a day.`.in(language) },
    key: `report ${fire_id}`,
  })
}

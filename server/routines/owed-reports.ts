import type { Trx } from '../db/database.ts'
import { say } from '../kernel/sentence.ts'
import type { RoutinesContext } from './ports.ts'

const AT_ONCE = 200

/** Entries whose run has ended well, and whose report is not there. */
export async function owedReports({ db }: Pick<RoutinesContext, 'db'>) {
  return db.read
    .selectFrom('routine_fire')
    .innerJoin('routine', 'routine.routine_id', 'routine_fire.routine_id')
    .innerJoin('user', 'user.user_id', 'routine.user_id')
    .select(['fire_id', 'run_id', 'report_until', 'routine.routine_id', 'routine.name'])
    .select(['routine.user_id', 'user.language'])
    .where('report_until', 'is not', null)
    .orderBy('fire_id')
    .limit(AT_ONCE)
    .execute()
}

type OwedReport = Awaited<ReturnType<typeof owedReports>>[number]

/**
 * Makes a report that is owed. What goes wrong for a moment leaves it owed: the next look of any process tries again, for a
 * day, and then its owner is told that there is none.
 */
export async function endWithReport(
  context: RoutinesContext,
  owed: OwedReport,
  { now, signal }: { readonly now: number; readonly signal: AbortSignal },
): Promise<void> {
  const { run_id, name } = owed
  const isLast = now >= Number(owed.report_until)
  try {
    const outcome = run_id === null ? 'nothing' : await context.reportEnded(run_id, { name, signal })
    if (outcome === 'active' && !isLast) return
  } catch (error) {
    if (!isLast || signal.aborted) throw error
    context.log.error({ err: error, routine_id: owed.routine_id }, 'a report was given up')
    await settleReport(context, owed, (trx) => tellGivenUp(context, trx, owed))
    return
  }
  await settleReport(context, owed)
}

async function settleReport(
  { db, onChanged }: RoutinesContext,
  { fire_id, routine_id, user_id }: OwedReport,
  tell?: (trx: Trx) => Promise<void>,
): Promise<void> {
  await db.transaction(async (trx) => {
    const settled = await trx
      .updateTable('routine_fire')
      .set({ report_until: null })
      .where('fire_id', '=', fire_id)
      .where('report_until', 'is not', null)
      .executeTakeFirst()
    if (settled.numUpdatedRows === 0n) return
    await tell?.(trx)
    await onChanged(trx, user_id, routine_id)
  })
}

async function tellGivenUp({ tellNotice }: RoutinesContext, trx: Trx, owed: OwedReport): Promise<void> {
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

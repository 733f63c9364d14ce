import type { reports as contract } from '../../contract/reports.ts'
import type { Handlers } from '../../contract/route.ts'
import type { Trx } from '../db/database.ts'
import { AppError } from '../kernel/app-error.ts'
import { makeReport, type ReportContext } from './make-report.ts'
import { readRun } from './read-run.ts'
import type { TellNotice } from '../chat/ports/notices.ts'
import type { MayStore } from './report-ports.ts'

export interface ReportsOptions extends ReportContext {
  readonly mayStore: MayStore
  readonly tell: TellNotice
}

export function reportRoutes(context: ReportContext): Handlers<typeof contract> {
  return {
    saveReport: async ({ caller, params, signal }) => ({
      ok: true,
      ...(await makeReport(context, params.run_id, { caller, signal })),
    }),
  }
}

/** `nothing`: the run did not come to an answer, and whoever ended it says so; or its report was given up meanwhile. */
export type ReportOutcome = 'ready' | 'failed' | 'nothing' | 'active'

export interface WantedReport {
  /** As the owner calls what ran, for the file and for the message. */
  readonly name: string
  /**
   * Ends what is owed, and tells of it, as the last things of a transaction; false, and nothing is told, where it was ended
   * before: then there is no report either. Left out: nothing is owed.
   */
  readonly settle?: (trx: Trx, tell?: (trx: Trx) => Promise<void>) => Promise<boolean>
  readonly signal?: AbortSignal
}

/** What was owed was ended while the report was made, such as given up. */
class EndedBefore extends Error {}

/**
 * A run of which a report was wanted has ended: makes the report, and tells its owner that it is ready, or why there is
 * none. The report, what is told of it and the end of what is owed are one transaction. Called again, it changes nothing.
 * @throws whatever may be over a moment later; then it is to be called again
 */
export async function reportEnded(
  options: ReportsOptions,
  run_id: string,
  { name, settle = tellOnly, signal }: WantedReport,
): Promise<ReportOutcome> {
  const { db, mayStore, tell } = options
  const run = await readRun(db.read, run_id)
  if (run === null || (run.ended_at !== null && run.status !== 'done')) {
    await db.transaction((trx) => settle(trx))
    return 'nothing'
  }
  if (run.ended_at === null) return 'active'
  const to = { user_ids: [run.user_id] }
  const settleReady = (trx: Trx, file_id: string): Promise<boolean> =>
    settle(trx, () =>
      tell(trx, { event: 'report_ready', to, ref_id: file_id, path: `/files?f=${file_id}`, name, key: run_id }),
    )
  const before = await db.read.selectFrom('report').select('file_id').where('run_id', '=', run_id).executeTakeFirst()
  // Made by hand meanwhile, or by a call before this one; what its owner has deleted since does not come back.
  if (before !== undefined) {
    await db.transaction((trx) => settleReady(trx, before.file_id))
    return 'ready'
  }
  try {
    const refused = await mayStore(run.user_id)
    if (refused !== null) throw new AppError('forbidden', refused)
    let isSettled = false
    const { file } = await makeReport(options, run_id, {
      caller: null,
      name,
      ...(signal && { signal }),
      done: async (trx, made) => {
        isSettled = await settleReady(trx, made.file.file_id)
        if (!isSettled) throw new EndedBefore()
      },
    })
    // Somebody else made it in this very moment.
    if (!isSettled) await db.transaction((trx) => settleReady(trx, file.file_id))
    return 'ready'
  } catch (error) {
    if (error instanceof EndedBefore) return 'nothing'
    if (!(error instanceof AppError)) throw error
    const reason = error.detail.in(run.language)
    const about = { ref_id: run_id, path: `/chat?c=${run.conversation_id}`, name, key: `report ${run_id}` }
    await db.transaction((trx) =>
      settle(trx, () => tell(trx, { event: 'routine_failed', to, ...about, detail: { reason } })),
    )
    return 'failed'
  }
}

async function tellOnly(trx: Trx, tell?: (trx: Trx) => Promise<void>): Promise<boolean> {
  await tell?.(trx)
  return true
}

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

/** `nothing`: the run did not come to an answer, and whoever ended it says so. */
export type ReportOutcome = 'ready' | 'failed' | 'nothing' | 'active'

/**
 * A run of which a report was wanted has ended: makes the report, and tells its owner that it is ready, or why there is
 * none. Called again, it changes nothing. `name`: as the owner calls what ran, for the file and for the message.
 * @throws whatever may be over a moment later; then it is to be called again
 */
export async function reportEnded(
  options: ReportsOptions,
  run_id: string,
  { name, signal }: { readonly name: string; readonly signal?: AbortSignal },
): Promise<ReportOutcome> {
  const { db, mayStore, tell } = options
  const run = await readRun(db.read, run_id)
  if (run === null || (run.ended_at !== null && run.status !== 'done')) return 'nothing'
  if (run.ended_at === null) return 'active'
  const to = { user_ids: [run.user_id] }
  const tellReady = (trx: Trx, file_id: string): Promise<void> =>
    tell(trx, { event: 'report_ready', to, ref_id: file_id, path: `/files?f=${file_id}`, name, key: run_id })
  const before = await db.read.selectFrom('report').select('file_id').where('run_id', '=', run_id).executeTakeFirst()
  // Made by hand meanwhile, or by a call before this one; what its owner has deleted since does not come back.
  if (before !== undefined) {
    await db.transaction((trx) => tellReady(trx, before.file_id))
    return 'ready'
  }
  try {
    const refused = await mayStore(run.user_id)
    if (refused !== null) throw new AppError('forbidden', refused)
    await makeReport(options, run_id, {
      caller: null,
      name,
      ...(signal && { signal }),
      done: (trx, { file }) => tellReady(trx, file.file_id),
    })
    return 'ready'
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const reason = error.detail.in(run.language)
    const about = { ref_id: run_id, path: `/chat?c=${run.conversation_id}`, name, key: `report ${run_id}` }
    await db.transaction((trx) => tell(trx, { event: 'routine_failed', to, ...about, detail: { reason } }))
    return 'failed'
  }
}

import { sql } from 'kysely'
import type { Reader } from '../../db/database.ts'

/** Milliseconds by which a run may be committed later than its `ended_at` says. */
const LATE_MS = 5000

/** Creates the run counter for the metrics: unfinished runs, and those that ended since the last call. */
export function runCounter(db: Reader, now = Date.now) {
  let counted = now()
  return async (): Promise<{ active: Record<string, number>; ended: Record<string, number> }> => {
    // Worded like the partial index, which would not be used with parameters.
    const unfinished = await sql<{ status: string; count: number }>`select status, count(*) as count from run
      where run.status in ('thinking', 'acting', 'waiting_approval') group by status`.execute(db)
    const until = now() - LATE_MS
    const ended =
      until <= counted
        ? []
        : await db
            .selectFrom('run')
            .select(({ fn }) => ['status', fn.countAll<number>().as('count')])
            .where('ended_at', '>', counted)
            .where('ended_at', '<=', until)
            .groupBy('status')
            .execute()
    counted = Math.max(counted, until)
    const table = (rows: readonly { status: string; count: number }[]) =>
      Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)]))
    return { active: table(unfinished.rows), ended: table(ended) }
  }
}

import { type Kysely, sql } from 'kysely'
import type { Tables } from '../db/schema.ts'

/** A run may be committed this much later than its `ended_at` says. */
const LATE_MS = 5000

/** Makes what counts runs for the metrics: the unfinished ones, and those that ended since it was asked before. */
export function runCounter(db: Kysely<Tables>, now = Date.now) {
  let counted = now()
  return async (): Promise<{ active: Record<string, number>; ended: Record<string, number> }> => {
    // The words of the partial index: with parameters it would not be used.
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

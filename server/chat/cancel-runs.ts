import { ACTIVE } from './history/active-runs.ts'
import { runNotice } from './history/run-notices.ts'
import type { RunContext } from './run/run-context.ts'
import { cancelTopic } from './run/cancel-topic.ts'
import type { Runner } from './runner.ts'

/** Stops runs, whichever process drives them, and waits until they rest. */
export async function cancelRuns(
  { db, store }: Pick<RunContext, 'db' | 'store'>,
  runner: Runner,
  run_ids: readonly string[],
): Promise<{ cancelled_count: number; warning: string | null }> {
  for (const run_id of run_ids) {
    await db.transaction(async (trx) => {
      await db.dialect.serialize(trx, `run:${run_id}`)
      const row = await trx
        .updateTable('run')
        .set({ cancel_requested_at: Date.now() })
        .where('run_id', '=', run_id)
        .where(ACTIVE)
        .returning('status')
        .executeTakeFirst()
      // A run that waits for a decision has no driver.
      if (row?.status === 'waiting_approval') {
        await store.apply(trx, run_id, { event: { type: 'run_cancelled' }, notice: runNotice('run_cancelled') })
      }
      db.wake(trx, cancelTopic(run_id))
    })
    runner.stop(run_id)
  }
  await Promise.all(run_ids.map((run_id) => runner.rested(run_id)))
  if (run_ids.length === 0) return { cancelled_count: 0, warning: null }
  const ended = await db.read.selectFrom('run').select(['status', 'warning']).where('run_id', 'in', run_ids).execute()
  return {
    cancelled_count: ended.filter((run) => run.status === 'cancelled').length,
    warning: ended.find((run) => run.warning !== null)?.warning ?? null,
  }
}

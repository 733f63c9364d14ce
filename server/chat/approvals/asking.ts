import type { Database } from '../../db/database.ts'
import { questionTopic } from './approval-cards.ts'

/** Polling interval in milliseconds; makes up for a missed wake-up. */
const LOOK = 5000

/** Resolves once a question of the run is waiting for a person, or `signal` is aborted. */
export async function asking(db: Database, run_id: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const look = Promise.withResolvers<void>()
    const off = db.onWake(questionTopic(run_id), look.resolve)
    const timer = setTimeout(look.resolve, LOOK)
    signal.addEventListener('abort', () => look.resolve(), { once: true })
    try {
      const question = await db.read
        .selectFrom('approval')
        .select('approval_id')
        .where('run_id', '=', run_id)
        .where('kind', '=', 'question')
        .where('status', '=', 'pending')
        .limit(1)
        .executeTakeFirst()
      if (question) return
      await look.promise
    } finally {
      clearTimeout(timer)
      off()
    }
  }
}

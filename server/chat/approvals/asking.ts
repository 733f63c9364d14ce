import type { Database } from '../../db/database.ts'
import { questionTopic } from './approval-cards.ts'

/** Polling interval in milliseconds; makes up for a missed wake-up. */
const LOOK = 5000

/**
 * Resolves once a question of the run is waiting for a person, or `signal` is aborted. `noneYet`: nothing has been asked
 * so far.
 */
export async function asking(db: Database, run_id: string, signal: AbortSignal, noneYet: boolean): Promise<null> {
  for (let known = noneYet; !signal.aborted; known = false) {
    const look = Promise.withResolvers<void>()
    const off = db.onWake(questionTopic(run_id), look.resolve)
    const timer = setTimeout(look.resolve, LOOK)
    signal.addEventListener('abort', () => look.resolve(), { once: true })
    try {
      if (!known && (await isAsked(db, run_id))) return null
      await look.promise
    } finally {
      clearTimeout(timer)
      off()
    }
  }
  return null
}

async function isAsked(db: Database, run_id: string): Promise<boolean> {
  const question = await db.read
    .selectFrom('approval')
    .select('approval_id')
    .where('run_id', '=', run_id)
    .where('kind', '=', 'question')
    .where('status', '=', 'pending')
    .limit(1)
    .executeTakeFirst()
  return question !== undefined
}

import { setImmediate as nextTurn } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { deleteSome, inSteps, STEP_ROWS } from '../db/steps.ts'
import { dayOf } from '../kernel/time.ts'

/** Rows per statement, so that none of them blocks others for long. */
const AT_ONCE = STEP_ROWS
const DAY_MS = 24 * 3_600_000
/** An expired token stays in its owner's list for a while, so that they can see why a script stopped. */
const KEEP_ENDED_TOKENS_MS = 30 * DAY_MS

/**
 * Creates the sweep for data that would grow forever and is no longer needed: chat sessions of sign-ins and tokens that
 * ended, tokens that ended long ago, and days of usage older than `keepUsageDays`. Returns how many rows were removed.
 */
export function createRetention(db: Database, { keepUsageDays }: { keepUsageDays: number }, now = Date.now) {
  /** Removes batches until none is left or `signal` is aborted. */
  async function inBatches(signal: AbortSignal | undefined, remove: () => Promise<number>): Promise<number> {
    let all = 0
    while (!signal?.aborted) {
      const removed = await remove()
      all += removed
      await nextTurn()
      if (removed < AT_ONCE) break
    }
    return all
  }

  async function removeChatSessions(): Promise<number> {
    const gone = await db.read
      .selectFrom('chat_session')
      .leftJoin('session', 'session.session_id', 'chat_session.session_id')
      .leftJoin('access_token', 'access_token.token_id', 'chat_session.session_id')
      .select('chat_session.session_id')
      .where('session.session_id', 'is', null)
      .where('access_token.token_id', 'is', null)
      .limit(AT_ONCE)
      .execute()
    const ids = gone.map(({ session_id }) => session_id)
    if (ids.length > 0) await db.write.deleteFrom('chat_session').where('session_id', 'in', ids).execute()
    return ids.length
  }

  async function removeTokens(): Promise<number> {
    const ended = db.read
      .selectFrom('access_token')
      .select('token_id')
      .where('expires_at', '<', now() - KEEP_ENDED_TOKENS_MS)
      .limit(AT_ONCE)
    const { numDeletedRows } = await db.write
      .deleteFrom('access_token')
      .where('token_id', 'in', ended)
      .executeTakeFirst()
    return Number(numDeletedRows)
  }

  async function removeUsage(signal?: AbortSignal): Promise<number> {
    const oldest = dayOf(now(), keepUsageDays)
    return inSteps(
      db,
      (trx) => deleteSome(trx, 'usage_day', ['user_id', 'day', 'engine_id', 'model'], sql`day < ${oldest}`),
      signal,
    )
  }

  return async (signal?: AbortSignal): Promise<{ chat_sessions: number; tokens: number; usage_days: number }> => ({
    tokens: await inBatches(signal, removeTokens),
    chat_sessions: await inBatches(signal, removeChatSessions),
    usage_days: await removeUsage(signal),
  })
}

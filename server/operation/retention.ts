import type { Database } from '../db/database.ts'

/** Rows of one statement: nobody waits long for any of them. */
const AT_ONCE = 500
const DAY_MS = 24 * 3_600_000
/** A token that ended is shown in the list of its owner for a while, so that they know why a script stopped. */
const KEEP_ENDED_TOKENS_MS = 30 * DAY_MS

/**
 * Makes the sweep of what would grow for ever and belongs to nobody any more: the chat sessions of sign-ins and tokens that
 * ended, tokens that ended long ago, and days of use older than `keepUsageDays`. Says how many rows went.
 */
export function createRetention(db: Database, { keepUsageDays }: { keepUsageDays: number }, now = Date.now) {
  /** Some at a time, until none is left or somebody wants to stop. */
  async function inBatches(signal: AbortSignal | undefined, remove: () => Promise<number>): Promise<number> {
    let all = 0
    while (!signal?.aborted) {
      const removed = await remove()
      all += removed
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
    if (ids.length > 0) await db.read.deleteFrom('chat_session').where('session_id', 'in', ids).execute()
    return ids.length
  }

  async function removeTokens(): Promise<number> {
    const ended = db.read
      .selectFrom('access_token')
      .select('token_id')
      .where('expires_at', '<', now() - KEEP_ENDED_TOKENS_MS)
      .limit(AT_ONCE)
    const { numDeletedRows } = await db.read
      .deleteFrom('access_token')
      .where('token_id', 'in', ended)
      .executeTakeFirst()
    return Number(numDeletedRows)
  }

  async function removeUsage(): Promise<number> {
    const oldest = new Date(now() - keepUsageDays * DAY_MS).toISOString().slice(0, 10)
    const { numDeletedRows } = await db.read.deleteFrom('usage_day').where('day', '<', oldest).executeTakeFirst()
    return Number(numDeletedRows)
  }

  return async (signal?: AbortSignal): Promise<{ chat_sessions: number; tokens: number; usage_days: number }> => ({
    tokens: await inBatches(signal, removeTokens),
    chat_sessions: await inBatches(signal, removeChatSessions),
    usage_days: await removeUsage(),
  })
}

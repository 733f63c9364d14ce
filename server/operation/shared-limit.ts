import { sql } from 'kysely'
import type { Database } from '../db/database.ts'

const MINUTE = 60_000

/**
 * Counts requests of all processes together, by minutes of the database's clock: one statement each; the answer is after
 * how many seconds another one is taken, null for one that is within the limit. Null on the embedded
 * database, which has one process: what that counts in its memory is all there is.
 */
export function createSharedLimit({
  dialect,
  write,
}: Pick<Database, 'dialect' | 'write'>): ((key: string, perMinute: number) => Promise<number | null>) | null {
  if (dialect.name === 'sqlite') return null
  /** Up to which minute this process has removed counts. */
  let removed = 0
  return async (key, perMinute) => {
    const { rows } = await sql<{ minute: number; requests: number; left: number }>`
      insert into request_count (minute, limit_key, requests) values (${dialect.now} / ${sql.lit(MINUTE)}, ${key}, 1)
      on conflict (minute, limit_key) do update set requests = request_count.requests + 1
      returning minute, requests, ${sql.lit(MINUTE)} - ${dialect.now} % ${sql.lit(MINUTE)} as left`.execute(write)
    const { minute, requests, left } = rows[0]!
    if (minute > removed) {
      removed = minute
      await write
        .deleteFrom('request_count')
        .where('minute', '<', minute - 1)
        .execute()
    }
    return requests <= perMinute ? null : Math.ceil(left / 1000)
  }
}

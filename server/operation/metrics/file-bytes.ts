import { sql } from 'kysely'
import type { Reader } from '../../db/database.ts'

const FRESH_MS = 60_000

/**
 * Creates a meter for the total size of stored files; it reads every row, so at most once a minute. Shared bytes count
 * once.
 */
export function fileBytesMeter(db: Reader, now = Date.now) {
  let measured = -FRESH_MS
  let bytes = 0
  return async (): Promise<number> => {
    if (now() - measured < FRESH_MS) return bytes
    measured = now()
    const { rows } = await sql<{ bytes: number | null }>`select cast(sum(size) as bigint) as bytes
      from (select distinct stored_as, size from file) as stored`.execute(db)
    bytes = Number(rows[0]?.bytes ?? 0)
    return bytes
  }
}

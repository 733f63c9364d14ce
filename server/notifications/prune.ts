import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'
import { deleteSome, inSteps } from '../db/steps.ts'
import { CODES_COUNTED } from './own-channels.ts'

/** Milliseconds for which messages and notices are listed. */
const KEPT = 30 * 86_400_000

/** Removes what nobody asks for any more: messages that were settled long ago, old notices with who has read them, and counts of codes. */
export async function pruneNotifications(db: Database, signal: AbortSignal): Promise<void> {
  const { now } = db.dialect
  const before = Date.now() - KEPT
  const old: readonly [keyof Tables, string, RawBuilder<unknown>][] = [
    ['outbox', 'outbox_id', sql`status <> 'pending' and created_at < ${before}`],
    ['notice', 'notice_id', sql`created_at < ${before}`],
    ['code_count', 'user_id', sql`since <= ${now} - ${sql.lit(CODES_COUNTED)}`],
  ]
  for (const [table, key, where] of old) await inSteps(db, (trx) => deleteSome(trx, table, [key], where), signal)
}

import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { deleteSome, inSteps } from '../../db/steps.ts'
import { idAt } from '../../kernel/id.ts'

/** Days for which changes are kept, with what they can be taken back to. */
export const KEEP_DAYS = 30
const DAY_MS = 24 * 3_600_000

/** Removes changes that are older, in steps. */
export async function dropOldChanges(db: Database, signal: AbortSignal, now = Date.now()): Promise<void> {
  // Ids sort by time.
  const oldest = idAt('change', now - KEEP_DAYS * DAY_MS)
  await inSteps(db, (trx) => deleteSome(trx, 'change', ['change_id'], sql`change_id < ${oldest}`), signal)
}

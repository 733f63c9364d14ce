import type { Database } from '../../db/database.ts'
import { isoOrNull } from '../../kernel/time.ts'
import type { Audit } from './audit.ts'

const PEOPLE = 500

/** How long the log is kept, and whom it can be searched for. */
export async function aboutAudit(db: Database, audit: Audit) {
  const { days, since } = await audit.kept()
  const people = await db.read
    .selectFrom('user')
    .select(['user_id', 'username', 'display_name'])
    .where('deleted_at', 'is', null)
    .orderBy('username_folded')
    .limit(PEOPLE)
    .execute()
  return { keep_days: days, since: isoOrNull(since), people }
}

import type { Database } from '../../db/database.ts'
import { byName } from '../../kernel/text/name-order.ts'
import { isoOrNull } from '../../kernel/time.ts'
import type { Audit } from './audit.ts'

const PEOPLE = 500

/** How long the log is kept, and whom it can be searched for. */
export async function aboutAudit(db: Database, audit: Audit, language: string) {
  const { days, since } = await audit.kept()
  const people = await db.read
    .selectFrom('user')
    .select(['user_id', 'username', 'display_name'])
    .where('deleted_at', 'is', null)
    .orderBy('username_folded')
    .limit(PEOPLE)
    .execute()
  const named = byName(people, language, ({ username, display_name }) => display_name || username)
  return { keep_days: days, since: isoOrNull(since), people: named }
}

import type { Caller } from '../../../contract/route.ts'
import type { Database } from '../../db/database.ts'
import { query } from '../../db/statement.ts'
import { ROLE_REVISION } from '../policy/load-role.ts'

/**
 * The owner of a routine as who its runs are sent: with their own role as it is now, never one that they have taken for a
 * while, and within the scope of the routine. Null when the account is disabled or gone.
 */
export async function routineCaller(
  db: Database,
  { user_id, routine_id, scope }: { user_id: string; routine_id: string; scope: readonly string[] },
): Promise<Caller | null> {
  const row = await OWNER.first(db.read, { user_id })
  if (row === undefined) return null
  return {
    ...row,
    role_revision: Number(row.role_revision),
    admin: false,
    session_id: routine_id,
    kind: 'routine',
    scope,
  }
}

const OWNER = query((db, is: { user_id: string }) =>
  db
    .selectFrom('user')
    .innerJoin('role', 'role.role_id', 'user.role_id')
    .select(['user.user_id', 'username', 'display_name', 'role.role_id', 'language'])
    .select(ROLE_REVISION.as('role_revision'))
    .where('user.user_id', '=', is.user_id)
    .where('disabled_at', 'is', null),
)

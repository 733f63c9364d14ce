import type { Reader } from '../../db/database.ts'

/** Ids of all administrators who can sign in, in the order in which several users' rows are locked. */
export async function administrators(db: Reader): Promise<string[]> {
  const rows = await db
    .selectFrom('user')
    .innerJoin('role', 'role.role_id', 'user.role_id')
    .select('user.user_id')
    .where('role.admin', '=', 1)
    .where('user.disabled_at', 'is', null)
    .orderBy('user.user_id')
    .execute()
  return rows.map(({ user_id }) => user_id)
}

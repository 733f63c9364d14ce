import type { Reader } from '../../db/database.ts'

/**
 * How many administrators can sign in, not counting `except`. If anything depends on the result, call it under
 * ACCOUNTS_LOCK.
 */
export async function enabledAdmins(db: Reader, except = ''): Promise<number> {
  const { count } = await db
    .selectFrom('user')
    .innerJoin('role', 'role.role_id', 'user.role_id')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('role.admin', '=', 1)
    .where('user.disabled_at', 'is', null)
    .where('user.user_id', '!=', except)
    .executeTakeFirstOrThrow()
  return Number(count)
}

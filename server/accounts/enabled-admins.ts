import type { Reader } from '../db/database.ts'

/** How many administrators can sign in, `except` one of them. Where something hangs on it, ask under ACCOUNTS_LOCK. */
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

import type { Reader } from '../../db/database.ts'
import { elevationInForce, ROLE_IN_FORCE } from '../policy/role-in-force.ts'

/** Ids of all who are administrators now and can sign in, in the order in which several users' rows are locked. */
export async function administrators(db: Reader): Promise<string[]> {
  const rows = await db
    .selectFrom('user')
    .leftJoin('elevation', (join) => join.on(elevationInForce(Date.now())))
    .innerJoin('role', (join) => join.on(ROLE_IN_FORCE))
    .select('user.user_id')
    .where('role.admin', '=', 1)
    .where('user.disabled_at', 'is', null)
    .orderBy('user.user_id')
    .execute()
  return rows.map(({ user_id }) => user_id)
}

import type { Reader } from '../../db/database.ts'
import { elevationInForce, ROLE_IN_FORCE } from '../policy/role-in-force.ts'

/**
 * The ids of everybody who can sign in, joined with the role that counts for them now (`role`), in the order in which several
 * users' rows are locked. Whoever calls it says which of them.
 */
export function peopleInForce(db: Reader) {
  return db
    .selectFrom('user')
    .leftJoin('elevation', (join) => join.on(elevationInForce(Date.now())))
    .innerJoin('role', (join) => join.on(ROLE_IN_FORCE))
    .select('user.user_id')
    .where('user.disabled_at', 'is', null)
    .orderBy('user.user_id')
}

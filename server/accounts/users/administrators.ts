import type { Reader } from '../../db/database.ts'
import { peopleInForce } from './people-in-force.ts'

/** Ids of all who are administrators now and can sign in, in the order in which several users' rows are locked. */
export async function administrators(db: Reader): Promise<string[]> {
  const rows = await peopleInForce(db).where('role.admin', '=', 1).execute()
  return rows.map(({ user_id }) => user_id)
}

import { EVERYBODY } from '../../../contract/rules.ts'
import type { Trx } from '../../db/database.ts'
import { newId } from '../../kernel/id.ts'

/** Creates the roles `admin`, `user` and `everybody` if missing, and returns the id of `admin`. Under ACCOUNTS_LOCK. */
export async function ensureBuiltinRoles(trx: Trx, now: number): Promise<string> {
  for (const [name, admin] of [
    ['admin', 1],
    ['user', 0],
    [EVERYBODY, 0],
  ] as const) {
    await trx
      .insertInto('role')
      .values({ role_id: newId('role'), name, name_folded: name, admin, builtin: 1, created_at: now })
      .onConflict((conflict) => conflict.column('name_folded').doNothing())
      .execute()
  }
  const { role_id } = await trx
    .selectFrom('role')
    .select('role_id')
    .where('name_folded', '=', 'admin')
    .executeTakeFirstOrThrow()
  return role_id
}

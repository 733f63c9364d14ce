import type { Database, Reader } from '../../db/database.ts'
import { newSecret } from '../../kernel/id.ts'
import { type AccountsContext, ACCOUNTS_LOCK } from '../accounts-context.ts'
import { ensureBuiltinRoles } from '../policy/builtin-roles.ts'
import { secretHash } from '../sessions/secret-hash.ts'
import { enabledAdmins } from '../users/enabled-admins.ts'

/** Links of this many starts work until one of them is used, because processes started side by side print one each. */
const LINKS_KEPT = 20

/**
 * Creates a new setup link while no administrator can sign in and returns its token, which is stored only as a hash;
 * null when setup is done. The built-in roles exist afterwards.
 */
export async function openSetupLink({ db, clock }: AccountsContext): Promise<string | null> {
  return db.transaction(async (trx) => {
    await db.dialect.serialize(trx, ACCOUNTS_LOCK)
    await ensureBuiltinRoles(trx, clock())
    if ((await enabledAdmins(trx)) > 0) {
      await trx.deleteFrom('setup').execute()
      return null
    }
    const token = newSecret()
    const last = await trx
      .selectFrom('setup')
      .select('setup_id')
      .orderBy('setup_id', 'desc')
      .limit(1)
      .executeTakeFirst()
    const setup_id = (last?.setup_id ?? 0) + 1
    await trx
      .insertInto('setup')
      .values({ setup_id, token_hash: secretHash(token), created_at: clock() })
      .execute()
    await trx
      .deleteFrom('setup')
      .where('setup_id', '<=', setup_id - LINKS_KEPT)
      .execute()
    return token
  })
}

/** Whether setup is still to be done. Once done it stays so, because the last administrator cannot be removed. */
export function openSetupState(db: Database): () => Promise<boolean> {
  let done = false
  return async () => {
    if (!done) done = !(await isSetupOpen(db.read))
    return !done
  }
}

/** Whether there is a setup link. */
export async function isSetupOpen(db: Reader): Promise<boolean> {
  return (await db.selectFrom('setup').select('setup_id').limit(1).executeTakeFirst()) !== undefined
}

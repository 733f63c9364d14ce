import type { Caller } from '../../../contract/route.ts'
import type { Trx } from '../../db/database.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import { type AccountsContext, ACCOUNTS_LOCK } from '../accounts-context.ts'
import type { Audit } from '../audit/audit.ts'
import { endSessions } from '../sessions/sessions.ts'
import { removeAll } from '../elevation/close-elevations.ts'
import { refuseLastAdmin } from './update-user.ts'
import { findUser } from './users.ts'

/** Deleted users processed by one sweep. */
const SWEPT_AT_ONCE = 20

/**
 * Deletes a user with everything that belongs to them; the audit log keeps what they did. From the first transaction
 * on, the user cannot be found and the name is free; their data is removed in steps after it, and the row last.
 * @throws {AppError} not_found, last_admin, run_active
 */
export async function deleteUser(
  context: AccountsContext,
  audit: Audit,
  caller: Caller,
  user_id: string,
): Promise<void> {
  const { db, log, clock } = context
  await db.transaction(async (trx) => {
    await db.dialect.serialize(trx, ACCOUNTS_LOCK)
    const user = await findUser(trx, user_id)
    await refuseLastAdmin(trx, user)
    if (await context.hasActiveRun(trx, user.user_id)) {
      throw new AppError('run_active', say`This user has an unfinished run. Disable the account, or wait for the run.`)
    }
    await endSessions(db, trx, user.user_id)
    await forget(trx, user.user_id, clock())
    const details = { username: user.username, role: user.role }
    await audit.record(trx, { actor: caller, action: 'user.deleted', target: user.user_id, outcome: 'ok', details })
  })
  try {
    await erase(context, user_id)
  } catch (error) {
    log.error({ err: error, user_id }, 'what a deleted user stored is not gone yet; the sweep goes on')
  }
}

/** Continues interrupted deletions. */
export async function sweepDeletedUsers(context: AccountsContext): Promise<void> {
  const rows = await context.db.read
    .selectFrom('user')
    .select('user_id')
    .where('deleted_at', 'is not', null)
    .limit(SWEPT_AT_ONCE)
    .execute()
  for (const { user_id } of rows) await erase(context, user_id)
}

/** Removes every way to sign in, and frees the name. */
async function forget(trx: Trx, user_id: string, now: number): Promise<void> {
  const gone = { deleted_at: now, disabled_at: now, username_folded: user_id, password_hash: null }
  await trx.updateTable('user').set(gone).where('user_id', '=', user_id).execute()
  for (const table of ['access_token', 'passkey', 'openid_identity', 'user_totp', 'backup_code', 'invitation'] as const)
    await trx.deleteFrom(table).where('user_id', '=', user_id).execute()
  await removeAll(trx, 'user_id', user_id)
}

async function erase({ db, eraseUser }: AccountsContext, user_id: string): Promise<void> {
  await eraseUser(user_id)
  await db.write.deleteFrom('user').where('user_id', '=', user_id).execute()
}

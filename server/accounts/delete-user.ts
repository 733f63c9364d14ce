import type { Caller } from '../../contract/route.ts'
import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'
import { type AccountsContext, ACCOUNTS_LOCK } from './accounts-context.ts'
import type { Audit } from './audit.ts'
import { endSessions } from './sessions.ts'
import { refuseLastAdmin } from './update-user.ts'
import { findUser } from './users.ts'

/**
 * Deletes a user with everything that is theirs; the audit log keeps what they did.
 * @throws {AppError} not_found, last_admin, run_active
 */
export async function deleteUser(
  context: AccountsContext,
  audit: Audit,
  caller: Caller,
  user_id: string,
): Promise<void> {
  const { db, log } = context
  const cleanUp = await db.transaction(async (trx) => {
    await db.dialect.serialize(trx, ACCOUNTS_LOCK)
    const user = await findUser(trx, user_id)
    await refuseLastAdmin(trx, user)
    if (await context.hasActiveRun(trx, user.user_id)) {
      throw new AppError(
        'run_active',
        say`A run of this user is not finished. Disable the account, or wait for the run.`,
      )
    }
    const after = await context.onUserDeleting(trx, user.user_id)
    await endSessions(db, trx, user.user_id)
    await trx.deleteFrom('user').where('user_id', '=', user.user_id).execute()
    const details = { username: user.username, role: user.role }
    await audit.record(trx, { actor: caller, action: 'user.deleted', target: user.user_id, outcome: 'ok', details })
    return after
  })
  try {
    await cleanUp()
  } catch (error) {
    log.error({ err: error, user_id }, 'what a deleted user left outside the database could not be removed')
  }
}

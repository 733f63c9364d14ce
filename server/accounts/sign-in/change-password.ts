import type { accounts } from '../../../contract/accounts.ts'
import type { Caller, HandlerInput } from '../../../contract/route.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import type { AccountsContext } from '../accounts-context.ts'
import type { Audit } from '../audit/audit.ts'
import { dropInvitation } from '../users/invitations.ts'
import { checkPassword } from './password-rule.ts'
import { endSessions } from '../sessions/sessions.ts'
import { changeKey, countAttempt, forgive } from './throttle.ts'

/**
 * Changes the user's own password: other sessions end, this one stays.
 * @throws {AppError} weak_password, wrong_credentials, too_many_attempts, sign_in_busy
 */
export async function changePassword(
  context: AccountsContext,
  audit: Audit,
  caller: Caller,
  { current_password, new_password }: HandlerInput<typeof accounts.changePassword>['body'],
): Promise<void> {
  const { db, passwords } = context
  checkPassword(new_password, caller.username)
  const key = changeKey(caller.user_id)
  await countAttempt(context, [key])
  const old = await db.read
    .selectFrom('user')
    .select('password_hash')
    .where('user_id', '=', caller.user_id)
    .executeTakeFirst()
  const old_hash = old?.password_hash ?? null
  const verified = await passwords.verify(old_hash, current_password)
  const password_hash = verified ? await passwords.hash(new_password) : null
  const entry = { actor: caller, action: 'password.changed', target: caller.user_id } as const

  const changed = await db.transaction(async (trx) => {
    // Only if it is still the one that was checked: an administrator may have reset it in the meantime.
    const updated =
      password_hash !== null &&
      (
        await trx
          .updateTable('user')
          .set({ password_hash })
          .where('user_id', '=', caller.user_id)
          .where('password_hash', '=', old_hash)
          .executeTakeFirst()
      ).numUpdatedRows > 0n
    if (!updated) {
      await audit.record(trx, { ...entry, outcome: 'refused' })
      return false
    }
    await forgive(trx, key)
    await dropInvitation(trx, caller.user_id)
    const sessions_ended = await endSessions(db, trx, caller.user_id, caller.session_id)
    await audit.record(trx, { ...entry, outcome: 'ok', details: { sessions_ended } })
    return true
  })
  if (!changed) throw new AppError('wrong_credentials', say`The current password is wrong.`)
}

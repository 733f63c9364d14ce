import type { Caller } from '../../../contract/route.ts'
import type { AccountsContext } from '../accounts-context.ts'
import type { Audit } from '../audit/audit.ts'
import { findUser } from '../users/users.ts'
import { deleteTotp, findTotp } from './change-totp.ts'

/**
 * An administrator removes the second factor and the passkeys of a user who lost them: from then on the password (or
 * the provider) alone is enough to sign in. @throws {AppError} not_found
 */
export async function removeSecondFactor(
  { db }: AccountsContext,
  audit: Audit,
  caller: Caller,
  user_id: string,
): Promise<{ totp: boolean; passkeys: number }> {
  return db.transaction(async (trx) => {
    const user = await findUser(trx, user_id)
    const totp = ((await findTotp(trx, user.user_id))?.confirmed_at ?? null) !== null
    await deleteTotp(trx, user.user_id)
    const gone = await trx.deleteFrom('passkey').where('user_id', '=', user.user_id).executeTakeFirst()
    const removed = { totp, passkeys: Number(gone.numDeletedRows) }
    const details = { username: user.username, ...removed }
    await audit.record(trx, {
      actor: caller,
      action: 'user.second_factor_removed',
      target: user.user_id,
      outcome: 'ok',
      details,
    })
    return removed
  })
}

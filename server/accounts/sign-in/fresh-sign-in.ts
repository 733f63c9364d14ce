import { FRESH_MINUTES } from '../../../contract/confirmation.ts'
import type { Caller } from '../../../contract/route.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import type { AccountsContext } from '../accounts-context.ts'

const FRESH_MS = FRESH_MINUTES * 60_000
/**
 * Clocks of several processes differ a little; a time further in the future comes from a wrong clock and is ignored.
 */
const SKEW_MS = 60_000

/**
 * Until when the caller counts as having just proved their identity, in epoch milliseconds; null if they do not. A
 * token never proves anyone's presence.
 */
export async function freshUntil(
  { db, clock }: Pick<AccountsContext, 'db' | 'clock'>,
  { kind, session_id }: Caller,
): Promise<number | null> {
  if (kind !== 'session') return null
  const row = await db.read
    .selectFrom('session')
    .select('confirmed_at')
    .where('session_id', '=', session_id)
    .executeTakeFirst()
  if (!row) return null
  const age = clock() - row.confirmed_at
  return age < FRESH_MS && age >= -SKEW_MS ? row.confirmed_at + FRESH_MS : null
}

/** @throws {AppError} sign_in_again unless the caller proved their identity within the last ten minutes */
export async function requireFresh(context: Pick<AccountsContext, 'db' | 'clock'>, caller: Caller): Promise<void> {
  if ((await freshUntil(context, caller)) === null) throw signInAgain()
}

/**
 * For actions that create an administrator: assigning a role, or giving a user a link.
 * @throws {AppError} sign_in_again
 */
export async function requireFreshForAdmin(
  context: Pick<AccountsContext, 'db' | 'clock'>,
  caller: Caller,
  whom: { readonly role_id: string | undefined } | { readonly user_id: string },
): Promise<void> {
  const { read } = context.db
  const role =
    'user_id' in whom
      ? read
          .selectFrom('user')
          .innerJoin('role', 'role.role_id', 'user.role_id')
          .where('user.user_id', '=', whom.user_id)
      : read.selectFrom('role').where('role.role_id', '=', whom.role_id ?? '')
  const found = await role.select('role.admin').executeTakeFirst()
  if (found?.admin === 1) await requireFresh(context, caller)
}

function signInAgain(): AppError {
  return new AppError(
    'sign_in_again',
    say`Confirm your identity: enter your password or a code, or use a passkey. This lasts for ${FRESH_MINUTES} minutes.`,
  )
}

import type { z } from 'zod'
import type { accounts, User } from '../../../contract/accounts.ts'
import type { Caller, HandlerInput } from '../../../contract/route.ts'
import type { Trx } from '../../db/database.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import { storable } from '../../kernel/text/plain-text.ts'
import { type AccountsContext, ACCOUNTS_LOCK } from '../accounts-context.ts'
import type { Audit } from '../audit/audit.ts'
import { enabledAdmins } from './enabled-admins.ts'
import { closeOpen, tellClosed } from '../elevation/close-elevations.ts'
import { dropInvitation } from './invitations.ts'
import { checkPassword } from '../sign-in/password-rule.ts'
import { endSessions } from '../sessions/sessions.ts'
import { findRole, findUser, userEntry, type UserRow } from './users.ts'

/**
 * An administrator changes a user. Another role, a new password or disabling ends the user's sessions and open streams.
 * @throws {AppError} not_found, unknown_role, weak_password, last_admin, sign_in_busy
 */
export async function updateUser(
  context: AccountsContext,
  audit: Audit,
  caller: Caller,
  user_id: string,
  body: HandlerInput<typeof accounts.updateUser>['body'],
): Promise<z.input<typeof User>> {
  const { db, clock, passwords } = context
  let password_hash: string | undefined
  if (body.password !== undefined) {
    checkPassword(body.password, (await findUser(db.read, user_id)).username)
    password_hash = await passwords.hash(body.password)
  }
  return db.transaction(async (trx) => {
    await db.dialect.serialize(trx, ACCOUNTS_LOCK)
    const before = await findUser(trx, user_id)
    const role = body.role_id === undefined ? null : await findRole(trx, body.role_id)
    const disabled = body.disabled ?? before.disabled_at !== null
    if (role?.admin === 0 || disabled) await refuseLastAdmin(trx, before)
    await trx
      .updateTable('user')
      .set({
        ...(body.display_name !== undefined && { display_name: storable(body.display_name || before.username) }),
        ...(role && { role_id: role.role_id }),
        ...(password_hash !== undefined && { password_hash }),
        disabled_at: disabled ? (before.disabled_at ?? clock()) : null,
      })
      .where('user_id', '=', before.user_id)
      .execute()
    const after = await findUser(trx, user_id)
    const ends = disabled || after.role_id !== before.role_id || password_hash !== undefined
    // A link still sitting in someone's mailbox must not undo this.
    if (disabled || password_hash !== undefined) await dropInvitation(trx, before.user_id)
    // What others agreed to was about the person in the old role, who could sign in.
    const changed = disabled || after.role_id !== before.role_id
    const closing = { now: clock(), by: caller }
    const closed = changed ? await closeOpen(trx, { user_id: before.user_id }, closing) : []
    const sessions_ended = ends ? await endSessions(db, trx, before.user_id) : 0
    const details = {
      username: before.username,
      before: shown(before),
      after: shown(after),
      password_changed: password_hash !== undefined,
      sessions_ended,
    }
    await audit.record(trx, { actor: caller, action: 'user.updated', target: before.user_id, outcome: 'ok', details })
    await tellClosed(context, audit, trx, caller, closed)
    return userEntry(after, clock())
  })
}

/** Under ACCOUNTS_LOCK, so that two administrators cannot remove each other at once. @throws {AppError} last_admin */
export async function refuseLastAdmin(trx: Trx, user: UserRow): Promise<void> {
  if (user.admin === 0 || user.disabled_at !== null) return
  if ((await enabledAdmins(trx, user.user_id)) > 0) return
  throw new AppError(
    'last_admin',
    say`“${user.username}” is the only administrator who can sign in. Appoint another one first.`,
  )
}

function shown({ display_name, role, disabled_at }: UserRow) {
  return { display_name, role, disabled: disabled_at !== null }
}

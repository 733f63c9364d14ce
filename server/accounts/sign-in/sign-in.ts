import type { accounts } from '../../../contract/accounts.ts'
import type { HandlerInput, HandlerOutput, SessionChange } from '../../../contract/route.ts'
import type { Trx } from '../../db/database.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import { fold, storable } from '../../kernel/text/plain-text.ts'
import type { AccountsContext } from '../accounts-context.ts'
import type { Audit } from '../audit/audit.ts'
import { csrfToken } from '../sessions/csrf-token.ts'
import { knownPlace } from './known-places.ts'
import { loadCaller } from '../sessions/load-caller.ts'
import { sessionUser } from '../sessions/session-user.ts'
import { type Client, startSession } from '../sessions/sessions.ts'
import { accountKey, addressKey, countAttempt, forgive, placeKey, takeBack } from './throttle.ts'
import { useSecondFactor, wrongCode } from '../totp/second-factor.ts'

type SignedInAnswer = HandlerOutput<typeof accounts.login>

/**
 * Signs in by password and, if the account has a second factor, a code. Unknown name, wrong password and disabled
 * account are indistinguishable by answer and by timing; only a caller with the right password learns that a code is
 * needed.
 * @throws {AppError} wrong_credentials, totp_required, totp_wrong, too_many_attempts, sign_in_busy
 */
export async function signIn(
  context: AccountsContext,
  audit: Audit,
  body: HandlerInput<typeof accounts.login>['body'],
  client: Client,
): Promise<SignedInAnswer> {
  const { db, clock, passwords } = context
  const username_folded = fold(storable(body.username.trim()))
  const known = await knownPlace(db.read, username_folded, client)
  const account = known === null ? accountKey(username_folded) : placeKey(username_folded, known)
  // Someone with the user's own browser is not one of the strangers at the same address.
  const address = known?.kind === 'device' ? null : addressKey(client.address)
  const blocked = await countAttempt(context, address === null ? [account] : [account, address])
  const user = await db.read
    .selectFrom('user')
    .select(['user_id', 'username', 'password_hash'])
    .where('username_folded', '=', username_folded)
    .executeTakeFirst()
  const verified = await passwords.verify(user?.password_hash ?? null, body.password)

  const session = await db.transaction(async (trx) => {
    // The stored name, or none: what was typed may be a password in the wrong field.
    const failed = (reason: object = {}) =>
      audit.record(trx, {
        actor: null,
        action: 'login.failed',
        target: user?.user_id ?? '',
        outcome: 'refused',
        details: { username: user?.username ?? null, address: client.address, blocked: blocked.length > 0, ...reason },
      })
    if (!user || !verified || !(await holdAccount(trx, user, clock()))) {
      await failed()
      return 'wrong_credentials'
    }
    const second = await useSecondFactor(context, trx, user.user_id, body.totp)
    if (second === 'missing') {
      await takeBack(trx, account)
      if (address !== null) await takeBack(trx, address)
      return 'totp_required'
    }
    if (second === 'wrong') {
      await failed({ second_factor: 'wrong' })
      return 'totp_wrong'
    }
    await forgive(trx, account, address)
    return startSignIn(context, audit, trx, user, client, second === 'none' ? 'password' : `password, ${second}`)
  })
  if (session === 'wrong_credentials')
    throw new AppError('wrong_credentials', say`Check the username and the password, and try again.`)
  if (session === 'totp_required')
    throw new AppError('totp_required', say`Enter a code from your authenticator app, or a backup code.`)
  if (session === 'totp_wrong') throw wrongCode()
  return signedIn(context, session)
}

/**
 * Whether the account is still as it was when checked: it may have been disabled, deleted, or given another password in
 * the meantime. The update holds its row, so such a change comes either before (and this sign-in is refused) or after
 * (and ends it). `password_hash` is omitted when the sign-in was not by password.
 */
export async function holdAccount(
  trx: Trx,
  { user_id, password_hash }: { user_id: string; password_hash?: string | null },
  now: number,
): Promise<boolean> {
  let query = trx
    .updateTable('user')
    .set({ last_seen_at: now })
    .where('user_id', '=', user_id)
    .where('disabled_at', 'is', null)
  if (password_hash !== undefined) query = query.where('password_hash', '=', password_hash)
  const { numUpdatedRows } = await query.executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Starts the session of a person who has proved their identity; `method` says how, for the audit log. */
export async function startSignIn(
  { clock }: AccountsContext,
  audit: Audit,
  trx: Trx,
  user: { user_id: string; username: string },
  client: Client,
  method: string,
  confirmed_at?: number,
): Promise<{ session_id: string; change: SessionChange }> {
  const started = await startSession(trx, user.user_id, client, clock(), confirmed_at)
  const details = { session_id: started.session_id, address: client.address, method }
  await audit.record(trx, { actor: user, action: 'login', target: user.user_id, outcome: 'ok', details })
  return started
}

/** The answer that starts a browser session. */
export async function signedIn(
  { db, roles, vault, clock }: AccountsContext,
  session: { session_id: string; change: SessionChange },
): Promise<SignedInAnswer> {
  const signIn = await loadCaller(db, { kind: 'session', session_id: session.session_id }, clock())
  if (!signIn) throw new AppError('wrong_credentials', say`The account was changed just now. Sign in again.`)
  const user = await sessionUser(roles, signIn.caller)
  return {
    body: { ok: true, user, csrf_token: csrfToken(vault, session.session_id) },
    session: session.change,
  }
}

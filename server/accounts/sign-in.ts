import type { accounts } from '../../contract/accounts.ts'
import type { HandlerInput, HandlerOutput, SessionChange } from '../../contract/route.ts'
import type { Trx } from '../db/database.ts'
import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'
import { fold, storable } from '../kernel/text.ts'
import type { AccountsContext } from './accounts-context.ts'
import type { Audit } from './audit.ts'
import { csrfToken } from './csrf-token.ts'
import { loadCaller } from './load-caller.ts'
import { verifyPassword } from './passwords.ts'
import { sessionUser } from './session-user.ts'
import { type Client, startSession } from './sessions.ts'
import { accountKey, addressKey, countAttempt, forgive, takeBack } from './throttle.ts'
import { useSecondFactor, wrongCode } from './totp/second-factor.ts'

type SignedInAnswer = HandlerOutput<typeof accounts.login>

/**
 * Signs in by password and, where the account has a second factor, a code. Unknown name, wrong password and disabled
 * account cannot be told apart, by answer or by time; only who has the right password learns that a code is needed.
 * @throws {AppError} wrong_credentials, totp_required, totp_wrong, too_many_attempts
 */
export async function signIn(
  context: AccountsContext,
  audit: Audit,
  body: HandlerInput<typeof accounts.login>['body'],
  client: Client,
): Promise<SignedInAnswer> {
  const { db, clock } = context
  const username_folded = fold(storable(body.username.trim()))
  const account = accountKey(username_folded)
  const address = addressKey(client.address)
  const blocked = await countAttempt(context, [account, address])
  const user = await db.read
    .selectFrom('user')
    .select(['user_id', 'username', 'password_hash'])
    .where('username_folded', '=', username_folded)
    .executeTakeFirst()
  const verified = await verifyPassword(user?.password_hash ?? null, body.password)

  const session = await db.transaction(async (trx) => {
    // The name as it is stored, or none: what was typed may be a password in the wrong field.
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
      await takeBack(trx, address)
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
    throw new AppError('totp_required', say`Give a code of your authenticator app, or a backup code.`)
  if (session === 'totp_wrong') throw wrongCode()
  return signedIn(context, session)
}

/**
 * Whether the account is still as it was checked: it may have been disabled, deleted, or got another password meanwhile.
 * The update holds its row, so such a change comes before (and this sign-in is refused) or after (and ends it).
 * `password_hash` is left out by who did not sign in by password.
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

/** Starts the session of somebody who has proved who they are; `method` is how, for the audit log. */
export async function startSignIn(
  { clock }: AccountsContext,
  audit: Audit,
  trx: Trx,
  user: { user_id: string; username: string },
  client: Client,
  method: string,
): Promise<{ session_id: string; change: SessionChange }> {
  const started = await startSession(trx, user.user_id, client, clock())
  const details = { session_id: started.session_id, address: client.address, method }
  await audit.record(trx, { actor: user, action: 'login', target: user.user_id, outcome: 'ok', details })
  return started
}

/** The answer that starts a browser session. */
export async function signedIn(
  { db, vault, clock }: AccountsContext,
  session: { session_id: string; change: SessionChange },
): Promise<SignedInAnswer> {
  const signIn = await loadCaller(db, { kind: 'session', session_id: session.session_id }, clock())
  if (!signIn) throw new AppError('wrong_credentials', say`The account was changed at this moment. Sign in again.`)
  const user = await sessionUser(db, signIn.caller)
  return {
    body: { ok: true, user, csrf_token: csrfToken(vault, session.session_id) },
    session: session.change,
  }
}

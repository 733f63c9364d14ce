import type { accounts } from '../../../contract/accounts.ts'
import type { Caller, HandlerInput, HandlerOutput, RequestClient } from '../../../contract/route.ts'
import type { Trx } from '../../db/database.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import { iso, isoOrNull } from '../../kernel/time.ts'
import type { AccountsContext } from '../accounts-context.ts'
import type { Audit } from '../audit/audit.ts'
import { freshUntil } from './fresh-sign-in.ts'
import { isPasswordOf } from './is-password-of.ts'
import type { OpenidSettings } from '../openid/openid-settings.ts'
import { makeRequestOptions, provePasskey } from '../passkeys/prove-passkey.ts'
import { countAttempt, forgive, proofKey } from './throttle.ts'
import { useSecondFactor, wrongCode } from '../totp/second-factor.ts'

/** Whether the session is fresh, and which ways its user has to confirm it. */
export async function confirmState(
  context: AccountsContext,
  openid: OpenidSettings | null,
  caller: Caller,
): Promise<HandlerOutput<typeof accounts.confirmState>> {
  const has = await context.db.read
    .selectFrom('user')
    .leftJoin('user_totp', 'user_totp.user_id', 'user.user_id')
    .select(['user.password_hash', 'user_totp.confirmed_at as totp_at'])
    .select((row) => [
      row
        .selectFrom('passkey')
        .select('passkey.passkey_id')
        .whereRef('passkey.user_id', '=', 'user.user_id')
        .limit(1)
        .as('passkey'),
      row
        .selectFrom('openid_identity')
        .select('openid_identity.subject')
        .whereRef('openid_identity.user_id', '=', 'user.user_id')
        .limit(1)
        .as('openid'),
    ])
    .where('user.user_id', '=', caller.user_id)
    .executeTakeFirstOrThrow()
  return {
    fresh_until: isoOrNull(await freshUntil(context, caller)),
    password: has.password_hash !== null,
    code: has.totp_at !== null,
    passkey: has.passkey !== null,
    openid: has.openid === null || openid === null ? null : openid.name,
  }
}

/** What a browser needs to present a passkey for this very session. @throws {AppError} passkeys_unavailable */
export function confirmOptions(context: AccountsContext, caller: Caller, origin: string) {
  return makeRequestOptions(context, { origin, session_id: caller.session_id })
}

/**
 * The person at the screen proves their identity again, in one way, which makes the session fresh. Failures count like
 * those of other proofs.
 * @throws {AppError} invalid_request, wrong_credentials, totp_wrong, passkey_refused, passkeys_unavailable,
 * too_many_attempts, sign_in_busy
 */
export async function confirmSignIn(
  context: AccountsContext,
  audit: Audit,
  caller: Caller,
  { password, code, credential }: HandlerInput<typeof accounts.confirmSignIn>['body'],
  client: RequestClient,
): Promise<HandlerOutput<typeof accounts.confirmSignIn>> {
  const { db, clock } = context
  const { user_id, session_id } = caller
  if ([password, code, credential].filter((proof) => proof !== undefined).length !== 1) {
    throw new AppError('invalid_request', say`Give exactly one of password, code and passkey.`, {
      errors: [{ path: '', message: say`give one of password, code and credential` }],
    })
  }
  const key = proofKey(user_id)
  await countAttempt(context, [key])
  const byPasskey =
    credential && (await provePasskey(context, credential, { origin: client.origin, session_id }, user_id))
  const byPassword = password !== undefined && (await isPasswordOf(context, user_id, password))
  const prove = async (trx: Trx): Promise<boolean> => {
    if (code !== undefined) return ['totp', 'backup code'].includes(await useSecondFactor(context, trx, user_id, code))
    return byPassword || (byPasskey !== undefined && (await byPasskey(trx)))
  }
  const method = password !== undefined ? 'password' : code !== undefined ? 'code' : 'passkey'
  const entry = { actor: caller, action: 'session.confirmed', target: session_id, details: { method } } as const
  const confirmed_at = clock()
  const proved = await db.transaction(async (trx) => {
    const right = await prove(trx)
    if (right) {
      await forgive(trx, key)
      await trx.updateTable('session').set({ confirmed_at }).where('session_id', '=', session_id).execute()
    }
    await audit.record(trx, { ...entry, outcome: right ? 'ok' : 'refused' })
    return right
  })
  if (!proved) throw refusal(method)
  return { ok: true, fresh_until: iso((await freshUntil(context, caller)) ?? confirmed_at) }
}

function refusal(method: 'password' | 'code' | 'passkey'): AppError {
  if (method === 'code') return wrongCode()
  if (method === 'password') return new AppError('wrong_credentials', say`The password is wrong.`)
  return new AppError('passkey_refused', say`This passkey is not one of yours here. Confirm another way.`)
}

import type { accounts } from '../../../contract/accounts.ts'
import type { HandlerInput, HandlerOutput } from '../../../contract/route.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import type { AccountsContext } from '../accounts-context.ts'
import type { Audit } from '../audit/audit.ts'
import type { Client } from '../sessions/sessions.ts'
import { holdAccount, signedIn, startSignIn } from '../sign-in/sign-in.ts'
import { addressKey, countAttempt, forgive, passkeyKey } from '../sign-in/throttle.ts'
import { makeRequestOptions, readPasskeyAnswer } from './prove-passkey.ts'
import { relyingParty } from './relying-party.ts'

type Credential = HandlerInput<typeof accounts.passkeyLogin>['body']['credential']

/** What a browser needs to sign in with a passkey. @throws {AppError} passkeys_unavailable */
export function passkeyOptions(context: AccountsContext, origin: string) {
  return makeRequestOptions(context, { origin, session_id: null })
}

/**
 * Signs in with a passkey. Its device has asked for PIN, fingerprint or face, so no second factor is required. Whatever
 * is wrong, the answer is the same; the audit log has the reason.
 * @throws {AppError} passkey_refused, passkeys_unavailable, too_many_attempts
 */
export async function passkeySignIn(
  context: AccountsContext,
  audit: Audit,
  credential: Credential,
  client: Client & { readonly origin: string },
): Promise<HandlerOutput<typeof accounts.passkeyLogin>> {
  const { db, clock } = context
  relyingParty(client.origin)
  const keys = [passkeyKey(credential.id), addressKey(client.address)] as const
  await countAttempt(context, keys)
  const answer = await readPasskeyAnswer(context, credential, { origin: client.origin, session_id: null })
  const { passkey } = answer

  const session = await db.transaction(async (trx) => {
    const right = await answer.count(trx)
    if (passkey && right && (await holdAccount(trx, { user_id: passkey.user_id }, clock()))) {
      await forgive(trx, ...keys)
      return startSignIn(context, audit, trx, passkey, client, 'passkey')
    }
    // Otherwise strangers could fill the log with passkeys that do not exist.
    if (passkey) {
      const reason = answer.wrong ?? 'account or counter'
      const details = { username: passkey.username, address: client.address, passkey: passkey.passkey_id, reason }
      await audit.record(trx, {
        actor: null,
        action: 'login.failed',
        target: passkey.user_id,
        outcome: 'refused',
        details,
      })
    }
    return null
  })
  if (!session)
    throw new AppError('passkey_refused', say`This passkey does not belong to an account here. Sign in another way.`)
  return signedIn(context, session)
}

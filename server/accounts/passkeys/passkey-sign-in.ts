import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import type { accounts } from '../../../contract/accounts.ts'
import type { HandlerInput, HandlerOutput } from '../../../contract/route.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import type { AccountsContext } from '../accounts-context.ts'
import type { Audit } from '../audit.ts'
import type { Client } from '../sessions.ts'
import { holdAccount, signedIn, startSignIn } from '../sign-in.ts'
import { addressKey, countAttempt, forgive, passkeyKey } from '../throttle.ts'
import { makeChallenge, takeChallenge } from './challenges.ts'
import { relyingParty } from './relying-party.ts'

type Credential = HandlerInput<typeof accounts.passkeyLogin>['body']['credential']

/** What a browser needs to show a passkey; the person chooses which, so no name is asked for. @throws {AppError} passkeys_unavailable */
export async function passkeyOptions(context: AccountsContext, origin: string) {
  const { generateAuthenticationOptions } = await import('@simplewebauthn/server')
  const rpID = relyingParty(origin)
  const challenge = await makeChallenge(context, { origin, session_id: null })
  const options = await generateAuthenticationOptions({
    rpID,
    challenge: Buffer.from(challenge, 'base64url'),
    timeout: 300_000,
    userVerification: 'required',
  })
  return { ...options }
}

/**
 * Signs in with a passkey. Its device has asked for PIN, finger or face, so no second factor is wanted. Whatever is wrong
 * with it, the answer is the same; the audit log has the reason.
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
  const passkey = await findPasskey(context, credential.id)
  const purpose = { origin: client.origin, session_id: null }
  const challenge = await takeChallenge(context, credential.response.clientDataJSON, purpose)
  const counter = passkey && challenge !== null ? await verify(credential, passkey, challenge, client.origin) : null

  const session = await db.transaction(async (trx) => {
    const right =
      passkey !== undefined &&
      typeof counter === 'number' &&
      (
        await trx
          .updateTable('passkey')
          .set({ counter, last_used_at: clock() })
          .where('passkey_id', '=', passkey.passkey_id)
          // Of two answers with the same count, one came from a copy.
          .where('counter', '=', passkey.counter)
          .executeTakeFirst()
      ).numUpdatedRows > 0n
    if (right && (await holdAccount(trx, { user_id: passkey.user_id }, clock()))) {
      await forgive(trx, ...keys)
      return startSignIn(context, audit, trx, passkey, client, 'passkey')
    }
    // Strangers could fill the log with passkeys that nobody has.
    if (passkey) {
      const reason =
        challenge === null ? 'challenge' : counter instanceof Error ? counter.message : 'account or counter'
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
    throw new AppError('passkey_refused', say`This passkey does not open an account here. Sign in another way.`)
  return signedIn(context, session)
}

type Passkey = NonNullable<Awaited<ReturnType<typeof findPasskey>>>

async function findPasskey({ db }: AccountsContext, credential_id: string) {
  return db.read
    .selectFrom('passkey')
    .innerJoin('user', 'user.user_id', 'passkey.user_id')
    .select([
      'passkey.passkey_id',
      'passkey.credential_id',
      'passkey.public_key',
      'passkey.counter',
      'passkey.rp_id',
      'user.user_id',
      'user.username',
    ])
    .where('passkey.credential_id', '=', credential_id)
    .executeTakeFirst()
}

/** The new count of the authenticator, or why the answer is not one of this passkey. */
async function verify(
  credential: Credential,
  passkey: Passkey,
  expectedChallenge: string,
  expectedOrigin: string,
): Promise<number | Error> {
  const response = credential as unknown as AuthenticationResponseJSON
  const handle: unknown = response.response.userHandle
  if (typeof handle === 'string' && Buffer.from(handle, 'base64url').toString() !== passkey.user_id)
    return new Error('the passkey names another user')
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  try {
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge,
      expectedOrigin,
      // For which it was made: whatever a request says of its host, a browser signed for this one.
      expectedRPID: passkey.rp_id,
      credential: {
        id: passkey.credential_id,
        publicKey: new Uint8Array(Buffer.from(passkey.public_key, 'base64url')),
        counter: passkey.counter,
      },
      requireUserVerification: true,
    })
    return verified ? authenticationInfo.newCounter : new Error('the signature is wrong')
  } catch (error) {
    return error as Error
  }
}

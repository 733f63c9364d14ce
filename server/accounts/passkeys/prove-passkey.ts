import type { AuthenticationResponseJSON } from '@simplewebauthn/server'
import type { accounts } from '../../../contract/accounts.ts'
import type { HandlerInput } from '../../../contract/route.ts'
import type { Trx } from '../../db/database.ts'
import type { AccountsContext } from '../accounts-context.ts'
import { type ChallengePurpose, makeChallenge, takeChallenge } from './challenges.ts'
import { relyingParty } from './relying-party.ts'

type Credential = HandlerInput<typeof accounts.passkeyLogin>['body']['credential']
export type KnownPasskey = NonNullable<Awaited<ReturnType<typeof findPasskey>>>

/**
 * What a browser needs to present a passkey; the person chooses which, so no name is asked for. @throws {AppError}
 * passkeys_unavailable
 */
export async function makeRequestOptions(context: AccountsContext, purpose: ChallengePurpose) {
  const { generateAuthenticationOptions } = await import('@simplewebauthn/server')
  const rpID = relyingParty(purpose.origin)
  const challenge = await makeChallenge(context, purpose)
  const options = await generateAuthenticationOptions({
    rpID,
    challenge: Buffer.from(challenge, 'base64url'),
    timeout: 300_000,
    userVerification: 'required',
  })
  return { ...options }
}

/** What a browser's answer proves. */
export interface PasskeyAnswer {
  /** Undefined: no such passkey exists. */
  readonly passkey: KnownPasskey | undefined
  /** Why it proves nothing; null when it is valid as far as can be told before it is counted. */
  readonly wrong: string | null
  /** Counts it: false when another answer with the same count came first, so that one of them comes from a copy. */
  count(trx: Trx): Promise<boolean>
}

/** Checks an answer and consumes its challenge, even if it is wrong. @throws {AppError} passkeys_unavailable */
export async function readPasskeyAnswer(
  context: AccountsContext,
  credential: Credential,
  purpose: ChallengePurpose,
): Promise<PasskeyAnswer> {
  relyingParty(purpose.origin)
  const passkey = await findPasskey(context, credential.id)
  const challenge = await takeChallenge(context, credential.response.clientDataJSON, purpose)
  const counter = passkey && challenge !== null ? await verify(credential, passkey, challenge, purpose.origin) : null
  const wrong = challenge === null ? 'challenge' : counter instanceof Error ? counter.message : null
  return {
    passkey,
    wrong: passkey === undefined ? 'unknown' : wrong,
    count: async (trx) =>
      passkey !== undefined &&
      typeof counter === 'number' &&
      (
        await trx
          .updateTable('passkey')
          .set({ counter, last_used_at: context.clock() })
          .where('passkey_id', '=', passkey.passkey_id)
          .where('counter', '=', passkey.counter)
          .executeTakeFirst()
      ).numUpdatedRows > 0n,
  }
}

/**
 * Whether an answer comes from one of the user's own passkeys: returns a check to be made inside the following
 * transaction.
 */
export async function provePasskey(
  context: AccountsContext,
  credential: Credential,
  purpose: ChallengePurpose,
  user_id: string,
): Promise<(trx: Trx) => Promise<boolean>> {
  const answer = await readPasskeyAnswer(context, credential, purpose)
  return async (trx) => answer.passkey?.user_id === user_id && (await answer.count(trx))
}

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

/** The authenticator's new count, or the reason why the answer is not from this passkey. */
async function verify(
  credential: Credential,
  passkey: KnownPasskey,
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
      // The host it was created for: whatever host a request names, a browser signed for this one.
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

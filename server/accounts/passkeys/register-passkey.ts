import type { RegistrationResponseJSON } from '@simplewebauthn/server'
import type { z } from 'zod'
import type { Caller, HandlerInput } from '../../../contract/route.ts'
import type { PasskeyEntry, signInMethods } from '../../../contract/sign-in-methods.ts'
import type { Reader } from '../../db/database.ts'
import { AppError } from '../../kernel/app-error.ts'
import { newId } from '../../kernel/id.ts'
import { say } from '../../kernel/sentence.ts'
import { storable } from '../../kernel/text/plain-text.ts'
import type { AccountsContext } from '../accounts-context.ts'
import type { Audit } from '../audit/audit.ts'
import { makeChallenge, takeChallenge } from './challenges.ts'
import { passkeyEntry } from './passkeys.ts'
import { relyingParty } from './relying-party.ts'

const MOST = 20
/** Ed25519, ES256 and RS256, which authenticators support. */
const ALGORITHMS = [-8, -7, -257]

/**
 * What a browser needs to create a passkey: one that identifies its user by itself and asks for PIN, fingerprint or
 * face.
 * @throws {AppError} passkeys_unavailable, too_many_passkeys
 */
export async function beginPasskey(context: AccountsContext, caller: Caller, origin: string) {
  const { generateRegistrationOptions } = await import('@simplewebauthn/server')
  const rpID = relyingParty(origin)
  const known = await passkeysOf(context.db.read, caller.user_id)
  const challenge = await makeChallenge(context, { origin, session_id: caller.session_id })
  const options = await generateRegistrationOptions({
    rpName: 'Reeve',
    rpID,
    userID: new TextEncoder().encode(caller.user_id),
    userName: caller.username,
    userDisplayName: caller.display_name,
    challenge: Buffer.from(challenge, 'base64url'),
    timeout: 300_000,
    attestationType: 'none',
    excludeCredentials: known.map(({ credential_id, transports }) => ({
      id: credential_id,
      transports: JSON.parse(transports) as string[],
    })),
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
    supportedAlgorithmIDs: ALGORITHMS,
  })
  return { ...options }
}

/**
 * Stores a passkey the browser created for this very session.
 * @throws {AppError} passkey_refused, passkey_exists, passkeys_unavailable, too_many_passkeys
 */
export async function registerPasskey(
  context: AccountsContext,
  audit: Audit,
  caller: Caller,
  { name, credential }: HandlerInput<typeof signInMethods.registerPasskey>['body'],
  origin: string,
): Promise<z.input<typeof PasskeyEntry>> {
  const { db, clock, log } = context
  const rp_id = relyingParty(origin)
  const purpose = { origin, session_id: caller.session_id }
  const expectedChallenge = await takeChallenge(context, credential.response.clientDataJSON, purpose)
  if (expectedChallenge === null) throw refused()
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  const verified = await verifyRegistrationResponse({
    // Its shape is checked there, field by field.
    response: credential as unknown as RegistrationResponseJSON,
    expectedChallenge,
    expectedOrigin: origin,
    expectedRPID: rp_id,
    requireUserVerification: true,
    supportedAlgorithmIDs: ALGORITHMS,
  }).catch((error: unknown) => {
    log.info({ user_id: caller.user_id, reason: (error as Error).message }, 'a new passkey was refused')
    return null
  })
  if (!verified?.verified) throw refused()
  const { credential: made, credentialBackedUp } = verified.registrationInfo
  const row = {
    passkey_id: newId('passkey'),
    user_id: caller.user_id,
    name: storable(name),
    credential_id: made.id,
    public_key: Buffer.from(made.publicKey).toString('base64url'),
    counter: made.counter,
    transports: JSON.stringify((made.transports ?? []).map(String).slice(0, 10)),
    rp_id,
    backed_up: credentialBackedUp ? 1 : 0,
    created_at: clock(),
    last_used_at: null,
  }
  return db
    .transaction(async (trx) => {
      await passkeysOf(trx, caller.user_id)
      await trx.insertInto('passkey').values(row).execute()
      const details = { name: row.name, synced: credentialBackedUp }
      const entry = { actor: caller, action: 'passkey.added', target: row.passkey_id, outcome: 'ok', details } as const
      await audit.record(trx, entry)
      return passkeyEntry(row)
    })
    .catch((error: unknown) => {
      throw db.isUniqueViolation(error)
        ? new AppError('passkey_exists', say`This passkey is already in the list.`)
        : error
    })
}

/** @throws {AppError} too_many_passkeys */
async function passkeysOf(db: Reader, user_id: string) {
  const known = await db
    .selectFrom('passkey')
    .select(['credential_id', 'transports'])
    .where('user_id', '=', user_id)
    .execute()
  if (known.length < MOST) return known
  throw new AppError('too_many_passkeys', say`You have ${MOST} passkeys. Delete one that you no longer use first.`)
}

function refused(): AppError {
  return new AppError(
    'passkey_refused',
    say`This passkey could not be added: the request was too old, or it was made for something else. Try again.`,
  )
}

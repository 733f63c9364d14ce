import type { Trx } from '../../db/database.ts'
import { newSecret } from '../../kernel/id.ts'
import type { AccountsContext } from '../accounts-context.ts'
import { secretHash } from '../sessions/secret-hash.ts'

const CHALLENGE_MS = 5 * 60_000

/** What an answer must be for: the origin, and the session that registers or confirms (null: not signed in). */
export interface ChallengePurpose {
  readonly origin: string
  readonly session_id: string | null
}

/** Creates a challenge to sign. Stored as a hash until it is answered, at most five minutes. */
export async function makeChallenge(
  { db, clock }: AccountsContext,
  { origin, session_id }: ChallengePurpose,
): Promise<string> {
  const challenge = newSecret()
  await db.transaction(async (trx) => {
    await trx
      .insertInto('passkey_challenge')
      .values({ challenge_hash: secretHash(challenge), session_id, origin, expires_at: clock() + CHALLENGE_MS })
      .execute()
  })
  return challenge
}

/**
 * Consumes the challenge an answer names, even if the answer turns out wrong: a challenge is good for one attempt. Null
 * when it is unknown, used, expired, or was made for another purpose.
 */
export async function takeChallenge(
  { db, clock }: AccountsContext,
  clientDataJSON: string,
  purpose: ChallengePurpose,
): Promise<string | null> {
  const challenge = challengeIn(clientDataJSON)
  if (challenge === null) return null
  const row = await db.transaction(async (trx) =>
    trx
      .deleteFrom('passkey_challenge')
      .where('challenge_hash', '=', secretHash(challenge))
      .returning(['session_id', 'origin', 'expires_at'])
      .executeTakeFirst(),
  )
  if (!row || row.expires_at <= clock()) return null
  return row.session_id === purpose.session_id && row.origin === purpose.origin ? challenge : null
}

/** Deletes expired challenges. */
export async function sweepChallenges(trx: Trx, now: number): Promise<void> {
  await trx.deleteFrom('passkey_challenge').where('expires_at', '<=', now).execute()
}

function challengeIn(clientDataJSON: string): string | null {
  try {
    const data = JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString('utf8')) as { challenge?: unknown } | null
    return typeof data?.challenge === 'string' ? data.challenge : null
  } catch {
    return null
  }
}

import { sql } from 'kysely'
import type { Trx } from '../../db/database.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import { hashOf } from '../../kernel/text/canonical.ts'
import { addressNetwork } from '../../kernel/network/address-network.ts'
import type { AccountsContext } from '../accounts-context.ts'
import type { KnownPlace } from './known-places.ts'

const FIRST_BLOCK_MS = 5_000
const LONGEST_BLOCK_MS = 15 * 60_000
/** A key's failures are forgotten after an hour without an attempt. */
const FORGET_MS = 60 * 60_000
/**
 * An attempt further in the future than this was made before the clock was set back: it is ignored, since its block
 * would last longer by as much. Clocks of several processes differ by less.
 */
const SKEW_MS = 60_000

/**
 * What is counted, and how many failures in a row are free. Several people may share an address, but not an account.
 */
export interface ThrottleKey {
  readonly key: string
  readonly free: number
}
/** The key is a hash, because people type passwords into the wrong field. */
export function accountKey(usernameFolded: string): ThrottleKey {
  return { key: `account:${hashOf(usernameFolded)}`, free: 5 }
}
/** For users at a place they signed in from before: what strangers do elsewhere does not count against them. */
export function placeKey(usernameFolded: string, { kind, place_hash }: KnownPlace): ThrottleKey {
  return { key: `${kind}:${hashOf(usernameFolded)}:${place_hash}`, free: 5 }
}
export function addressKey(address: string): ThrottleKey {
  return { key: `address:${addressNetwork(address)}`, free: 20 }
}
/** A separate key, so that a stranger at the sign-in page cannot keep a signed-in user from changing the password. */
export function changeKey(user_id: string): ThrottleKey {
  return { key: `change:${user_id}`, free: 5 }
}
/** For second-factor codes a signed-in user enters to change the second factor. */
export function proofKey(user_id: string): ThrottleKey {
  return { key: `proof:${user_id}`, free: 5 }
}
/** For signatures by one passkey, named by a stranger. */
export function passkeyKey(credential_id: string): ThrottleKey {
  return { key: `passkey:${hashOf(credential_id)}`, free: 5 }
}

/**
 * Counts an attempt as failed before it is made, so that a hundred at once are no better than a hundred in a row;
 * `forgive` takes it back on success. Returns the keys this attempt blocked.
 * @throws {AppError} too_many_attempts while one of the keys is blocked; such an attempt is not counted.
 */
export async function countAttempt(context: AccountsContext, keys: readonly ThrottleKey[]): Promise<ThrottleKey[]> {
  const now = context.clock()
  return context.db.transaction(async (trx) => {
    const blocked: ThrottleKey[] = []
    for (const { key, free } of keys) {
      const row = await trx
        .insertInto('login_attempt')
        .values({ attempt_key: key, failures: 1, blocked_until: 0, updated_at: now })
        .onConflict((conflict) =>
          conflict
            .column('attempt_key')
            .doUpdateSet({
              failures: sql<number>`case when login_attempt.updated_at < ${now - FORGET_MS} or login_attempt.updated_at > ${now + SKEW_MS} then 1 else login_attempt.failures + 1 end`,
              blocked_until: 0,
              updated_at: now,
            })
            .where((row) =>
              row.or([
                row('login_attempt.blocked_until', '<=', now),
                row('login_attempt.updated_at', '>', now + SKEW_MS),
              ]),
            ),
        )
        .returning('failures')
        .executeTakeFirst()
      if (!row) throw await tooMany(trx, key, now)
      if (row.failures < free) continue
      const block = Math.min(FIRST_BLOCK_MS * 2 ** (row.failures - free), LONGEST_BLOCK_MS)
      await trx
        .updateTable('login_attempt')
        .set({ blocked_until: now + block })
        .where('attempt_key', '=', key)
        .execute()
      blocked.push({ key, free })
    }
    return blocked
  })
}

/** The attempt succeeded: clears all failures of `account`, but only this attempt of `address`. */
export async function forgive(trx: Trx, account: ThrottleKey, address?: ThrottleKey | null): Promise<void> {
  await trx.deleteFrom('login_attempt').where('attempt_key', '=', account.key).execute()
  // Not all of them: otherwise anyone with an account could reset the count between guesses at others.
  if (address) await takeBack(trx, address)
}

/** The attempt was neither a failure nor a success: it does not count, and earlier ones still do. */
export async function takeBack(trx: Trx, { key, free }: ThrottleKey): Promise<void> {
  await trx
    .updateTable('login_attempt')
    .set((row) => ({
      failures: row('failures', '-', 1),
      blocked_until: sql<number>`case when failures <= ${free} then 0 else blocked_until end`,
    }))
    .where('attempt_key', '=', key)
    .where('failures', '>', 0)
    .execute()
}

/** Deletes entries that no longer count. */
export async function sweepAttempts(trx: Trx, now: number): Promise<void> {
  await trx
    .deleteFrom('login_attempt')
    .where('updated_at', '<', now - FORGET_MS)
    .where('blocked_until', '<=', now)
    .execute()
}

async function tooMany(trx: Trx, key: string, now: number): Promise<AppError> {
  const { blocked_until } = await trx
    .selectFrom('login_attempt')
    .select('blocked_until')
    .where('attempt_key', '=', key)
    .executeTakeFirstOrThrow()
  const retryAfter = Math.max(1, Math.ceil((blocked_until - now) / 1000))
  return new AppError('too_many_attempts', say`Too many failed attempts. Try again in ${retryAfter} seconds.`, {
    retryAfter,
  })
}

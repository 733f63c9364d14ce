import { sql } from 'kysely'
import type { Trx } from '../db/database.ts'
import { AppError } from '../kernel/app-error.ts'
import { say } from '../kernel/sentence.ts'
import { hashOf } from '../kernel/canonical.ts'
import type { AccountsContext } from './accounts-context.ts'

const FIRST_BLOCK_MS = 5_000
const LONGEST_BLOCK_MS = 15 * 60_000
/** After an hour without an attempt the failures of a key are forgotten. */
const FORGET_MS = 60 * 60_000

/** What is counted, and how many failures in a row are free. Several people may share an address, nobody an account. */
export interface ThrottleKey {
  readonly key: string
  readonly free: number
}
/** The key is a hash, because people type passwords into the wrong field. */
export function accountKey(usernameFolded: string): ThrottleKey {
  return { key: `account:${hashOf(usernameFolded)}`, free: 5 }
}
export function addressKey(address: string): ThrottleKey {
  return { key: `address:${address}`, free: 20 }
}
/** Of its own, so that a stranger at the sign-in page cannot keep a signed-in user from changing the password. */
export function changeKey(user_id: string): ThrottleKey {
  return { key: `change:${user_id}`, free: 5 }
}
/** Codes of the second factor that a signed-in user types to change it. */
export function proofKey(user_id: string): ThrottleKey {
  return { key: `proof:${user_id}`, free: 5 }
}
/** Signatures by one passkey, named by a stranger. */
export function passkeyKey(credential_id: string): ThrottleKey {
  return { key: `passkey:${hashOf(credential_id)}`, free: 5 }
}

/**
 * Counts an attempt as failed before it is made, so that a hundred at once are no more than a hundred in a row; `forgive`
 * takes it back on success. Returns the keys that this attempt blocked.
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
              failures: sql<number>`case when login_attempt.updated_at < ${now - FORGET_MS} then 1 else login_attempt.failures + 1 end`,
              updated_at: now,
            })
            .where('login_attempt.blocked_until', '<=', now),
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

/** The attempt succeeded: forgets every failure of `account`, and only this attempt of `address`. */
export async function forgive(trx: Trx, account: ThrottleKey, address?: ThrottleKey): Promise<void> {
  await trx.deleteFrom('login_attempt').where('attempt_key', '=', account.key).execute()
  // Not all of them: else whoever has one account could reset the count between guesses at others.
  if (address) await takeBack(trx, address)
}

/** The attempt was no failure, and no success either: it does not count, and those before it still do. */
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

/** Deletes what no longer counts. */
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

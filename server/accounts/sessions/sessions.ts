import type { Caller, HandlerOutput, SessionChange } from '../../../contract/route.ts'
import type { accounts } from '../../../contract/accounts.ts'
import type { Database, Trx } from '../../db/database.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import { newId, newSecret } from '../../kernel/id.ts'
import { cut, storable } from '../../kernel/text/plain-text.ts'
import { iso } from '../../kernel/time.ts'
import type { AccountsContext } from '../accounts-context.ts'
import type { Audit } from '../audit/audit.ts'
import { type Place, rememberPlace } from '../sign-in/known-places.ts'
import { doubtSignIns } from './listeners.ts'
import { secretHash } from './secret-hash.ts'
import { SESSION_IDLE_MS, SESSION_MAX_MS } from './session-limits.ts'

const USER_AGENT_LIMIT = 300
const ADDRESS_LIMIT = 64

/** Where a request came from. */
export interface Client extends Place {
  readonly user_agent: string
}

/**
 * Starts a session and remembers its place; the cookies' values are in the return value and nowhere else.
 * `confirmed_at`: when the person proved their identity, if not now.
 */
export async function startSession(
  trx: Trx,
  user_id: string,
  client: Client,
  now: number,
  confirmed_at = now,
): Promise<{ session_id: string; change: SessionChange }> {
  const token = newSecret()
  const session_id = newId('session')
  const expires_at = now + SESSION_MAX_MS
  await trx
    .insertInto('session')
    .values({
      session_id,
      token_hash: secretHash(token),
      user_id,
      address: cut(storable(client.address), ADDRESS_LIMIT),
      user_agent: cut(storable(client.user_agent), USER_AGENT_LIMIT),
      created_at: now,
      last_seen_at: now,
      expires_at,
      confirmed_at,
    })
    .execute()
  const device = await rememberPlace(trx, user_id, client, now)
  return { session_id, change: { token, expires_at, device } }
}

/** Ends all of a user's sessions but `except`, and wakes their open streams so that these check and end. */
export async function endSessions(
  db: Database,
  trx: Trx,
  user_id: string,
  except: string | null = null,
): Promise<number> {
  let query = trx.deleteFrom('session').where('user_id', '=', user_id).returning('session_id')
  if (except !== null) query = query.where('session_id', '!=', except)
  const ended = await query.execute()
  doubtSignIns(db, trx, user_id)
  return ended.length
}

/** A user's unexpired sessions, most recently used first; `own` is the caller's. */
export async function sessionsOf(
  { db, clock }: AccountsContext,
  user_id: string,
  own: string,
): Promise<HandlerOutput<typeof accounts.listSessions>['items']> {
  const now = clock()
  const rows = await db.read
    .selectFrom('session')
    .select(['session_id', 'address', 'user_agent', 'created_at', 'last_seen_at', 'expires_at'])
    .where('user_id', '=', user_id)
    .where('expires_at', '>', now)
    .where('last_seen_at', '>', now - SESSION_IDLE_MS)
    .orderBy('last_seen_at', 'desc')
    .orderBy('session_id', 'desc')
    .execute()
  return rows.map((row) => ({
    ...row,
    current: row.session_id === own,
    created_at: iso(row.created_at),
    last_seen_at: iso(row.last_seen_at),
    expires_at: iso(Math.min(row.expires_at, row.last_seen_at + SESSION_IDLE_MS)),
  }))
}

/** Ends one of the caller's own sessions; `action` is its name in the audit log. @throws {AppError} not_found */
export async function endSession(
  { db }: AccountsContext,
  audit: Audit,
  caller: Caller,
  session_id: string,
  action: 'session.revoked' | 'logout',
): Promise<void> {
  await db.transaction(async (trx) => {
    await deleteSession(db, trx, caller.user_id, session_id)
    await audit.record(trx, { actor: caller, action, target: session_id, outcome: 'ok' })
  })
}

/** Ends one of a user's sessions, and wakes its open streams. @throws {AppError} not_found */
export async function deleteSession(db: Database, trx: Trx, user_id: string, session_id: string): Promise<void> {
  const { numDeletedRows } = await trx
    .deleteFrom('session')
    .where('session_id', '=', storable(session_id))
    .where('user_id', '=', user_id)
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw new AppError('not_found', say`There is no such sign-in.`)
  db.wake(trx, session_id)
}

/** Deletes expired sessions. */
export async function sweepSessions(trx: Trx, now: number): Promise<void> {
  await trx
    .deleteFrom('session')
    .where((row) => row.or([row('expires_at', '<=', now), row('last_seen_at', '<=', now - SESSION_IDLE_MS)]))
    .execute()
}

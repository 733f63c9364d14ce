import type { accounts } from '../../../contract/accounts.ts'
import type { Caller, HandlerOutput } from '../../../contract/route.ts'
import type { AccountsContext } from '../accounts-context.ts'
import type { Audit } from '../audit/audit.ts'
import { deleteSession, endSessions, sessionsOf } from '../sessions/sessions.ts'
import { findUser } from './users.ts'

/** Where a user is signed in, for administrators. @throws {AppError} not_found */
export async function listUserSessions(
  context: AccountsContext,
  caller: Caller,
  user_id: string,
): Promise<HandlerOutput<typeof accounts.listUserSessions>> {
  const { db, clock } = context
  const user = await findUser(db.read, user_id)
  const { count } = await db.read
    .selectFrom('access_token')
    .select((row) => row.fn.countAll<number>().as('count'))
    .where('user_id', '=', user.user_id)
    .where((row) => row.or([row('expires_at', 'is', null), row('expires_at', '>', clock())]))
    .executeTakeFirstOrThrow()
  return { items: await sessionsOf(context, user.user_id, caller.session_id), access_tokens: Number(count) }
}

/** An administrator ends one of a user's sessions. @throws {AppError} not_found */
export async function endUserSession(
  { db }: AccountsContext,
  audit: Audit,
  caller: Caller,
  user_id: string,
  session_id: string,
): Promise<void> {
  await db.transaction(async (trx) => {
    const user = await findUser(trx, user_id)
    await deleteSession(db, trx, user.user_id, session_id)
    const details = { username: user.username, session_id }
    await audit.record(trx, { actor: caller, action: 'user.signed_out', target: user.user_id, outcome: 'ok', details })
  })
}

/**
 * An administrator ends all of a user's sessions and, on request, revokes the access tokens. @throws {AppError}
 * not_found
 */
export async function endUserSessions(
  { db }: AccountsContext,
  audit: Audit,
  caller: Caller,
  user_id: string,
  { access_tokens }: { access_tokens: boolean },
): Promise<HandlerOutput<typeof accounts.endUserSessions>> {
  return db.transaction(async (trx) => {
    const user = await findUser(trx, user_id)
    const sessions = await endSessions(db, trx, user.user_id)
    const revoked = access_tokens
      ? await trx.deleteFrom('access_token').where('user_id', '=', user.user_id).returning('token_id').execute()
      : []
    const ended = { sessions, access_tokens: revoked.length }
    const details = { username: user.username, ...ended }
    await audit.record(trx, { actor: caller, action: 'user.signed_out', target: user.user_id, outcome: 'ok', details })
    return { ok: true, ...ended }
  })
}

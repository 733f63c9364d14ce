import type { Caller, HandlerOutput } from '../../../contract/route.ts'
import type { accounts } from '../../../contract/accounts.ts'
import type { Reader, Trx } from '../../db/database.ts'
import { AppError } from '../../kernel/app-error.ts'
import { newSecret } from '../../kernel/id.ts'
import { say } from '../../kernel/sentence.ts'
import { iso } from '../../kernel/time.ts'
import { type AccountsContext, ACCOUNTS_LOCK } from '../accounts-context.ts'
import type { Audit } from '../audit/audit.ts'
import { checkPassword } from '../sign-in/password-rule.ts'
import { secretHash } from '../sessions/secret-hash.ts'
import { endSessions, type Client } from '../sessions/sessions.ts'
import { findUser } from './users.ts'

const INVITATION_MS = 7 * 24 * 3_600_000

/**
 * Creates a link for a user to choose a password; it replaces an older one, and the password stays as it is until then.
 * The token is stored only as a hash.
 * @throws {AppError} not_found, user_disabled
 */
export async function invite(
  { db, clock }: AccountsContext,
  audit: Audit,
  caller: Caller,
  user_id: string,
): Promise<HandlerOutput<typeof accounts.invite>> {
  const token = newSecret()
  const created_at = clock()
  const link = { token_hash: secretHash(token), created_at, expires_at: created_at + INVITATION_MS }
  await db.transaction(async (trx) => {
    await db.dialect.serialize(trx, ACCOUNTS_LOCK)
    const user = await findUser(trx, user_id)
    if (user.disabled_at !== null)
      throw new AppError('user_disabled', say`“${user.username}” is disabled. Enable the account first.`)
    await trx
      .insertInto('invitation')
      .values({ user_id: user.user_id, ...link })
      .onConflict((conflict) => conflict.column('user_id').doUpdateSet(link))
      .execute()
    const details = { username: user.username, expires_at: iso(link.expires_at) }
    await audit.record(trx, { actor: caller, action: 'user.invited', target: user.user_id, outcome: 'ok', details })
  })
  return { ok: true, token, path: `/setup?invite=${token}`, expires_at: iso(link.expires_at) }
}

/** @throws {AppError} not_found: no such user, or no open link */
export async function revokeInvitation(
  { db }: AccountsContext,
  audit: Audit,
  caller: Caller,
  user_id: string,
): Promise<void> {
  await db.transaction(async (trx) => {
    await db.dialect.serialize(trx, ACCOUNTS_LOCK)
    const user = await findUser(trx, user_id)
    if (!(await dropInvitation(trx, user.user_id)))
      throw new AppError('not_found', say`There is no open link for this user.`)
    const details = { username: user.username }
    const entry = { actor: caller, action: 'invitation.revoked', target: user.user_id, outcome: 'ok', details } as const
    await audit.record(trx, entry)
  })
}

/** The user whose password a link is for. @throws {AppError} invitation_invalid */
export async function readInvitation(
  { db, clock }: AccountsContext,
  token: string,
): Promise<HandlerOutput<typeof accounts.readInvitation>> {
  const { username, display_name, expires_at, password_hash } = await openInvitation(db.read, token, clock())
  return { username, display_name, expires_at: iso(expires_at), replaces: password_hash !== null }
}

/**
 * Sets the password a user chose through a link, and ends their sessions. However many try at once, one succeeds: the
 * one that deletes the link's row.
 * @throws {AppError} invitation_invalid, weak_password, sign_in_busy
 */
export async function acceptInvitation(
  { db, clock, passwords }: AccountsContext,
  audit: Audit,
  { token, password }: { token: string; password: string },
  client: Client,
): Promise<HandlerOutput<typeof accounts.acceptInvitation>> {
  // Before the password is hashed: a stranger without a link must not cost more than a lookup.
  checkPassword(password, (await openInvitation(db.read, token, clock())).username)
  const password_hash = await passwords.hash(password)
  return db.transaction(async (trx) => {
    await db.dialect.serialize(trx, ACCOUNTS_LOCK)
    const user = await openInvitation(trx, token, clock())
    if (!(await dropInvitation(trx, user.user_id))) throw invalid()
    await trx.updateTable('user').set({ password_hash }).where('user_id', '=', user.user_id).execute()
    const sessions_ended = await endSessions(db, trx, user.user_id)
    const details = { username: user.username, address: client.address, sessions_ended }
    await audit.record(trx, {
      actor: user,
      action: 'invitation.accepted',
      target: user.user_id,
      outcome: 'ok',
      details,
    })
    return { ok: true, username: user.username }
  })
}

/** Drops a link made before its user was disabled or given a password. Returns whether there was one. */
export async function dropInvitation(trx: Trx, user_id: string): Promise<boolean> {
  const { numDeletedRows } = await trx.deleteFrom('invitation').where('user_id', '=', user_id).executeTakeFirst()
  return numDeletedRows > 0n
}

/** Deletes expired links. */
export async function sweepInvitations(trx: Trx, now: number): Promise<void> {
  await trx.deleteFrom('invitation').where('expires_at', '<=', now).execute()
}

async function openInvitation(reader: Reader, token: string, now: number) {
  const row = await reader
    .selectFrom('invitation')
    .innerJoin('user', 'user.user_id', 'invitation.user_id')
    .select(['user.user_id', 'user.username', 'user.display_name', 'user.password_hash', 'invitation.expires_at'])
    .where('invitation.token_hash', '=', secretHash(token))
    .where('invitation.expires_at', '>', now)
    .where('user.disabled_at', 'is', null)
    .executeTakeFirst()
  if (!row) throw invalid()
  return row
}

function invalid(): AppError {
  return new AppError(
    'invitation_invalid',
    say`The link has been used or replaced, or has expired. Ask an administrator for a new one.`,
  )
}

import type { z } from 'zod'
import type { accounts, User } from '../../contract/accounts.ts'
import type { Caller, HandlerInput } from '../../contract/route.ts'
import type { Reader } from '../db/database.ts'
import { AppError } from '../kernel/app-error.ts'
import { storable } from '../kernel/text.ts'
import { iso, isoOrNull } from '../kernel/time.ts'
import { type AccountsContext, ACCOUNTS_LOCK } from './accounts-context.ts'
import type { Audit } from './audit.ts'
import { insertUser } from './insert-user.ts'
import { checkPassword } from './password-rule.ts'
import { hashPassword } from './passwords.ts'

type UserEntry = z.input<typeof User>

/** All users in the order in which they were created; the cursor is the last one's id. */
export async function listUsers(
  { db }: AccountsContext,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Promise<{ items: UserEntry[]; next_cursor: string | null }> {
  let query = users(db.read)
    .orderBy('user.user_id')
    .limit(limit + 1)
  if (cursor !== undefined) query = query.where('user.user_id', '>', storable(cursor))
  const rows = await query.execute()
  const items = rows.slice(0, limit).map(userEntry)
  return { items, next_cursor: rows.length > limit ? items.at(-1)!.user_id : null }
}

/** @throws {AppError} weak_password, unknown_role, username_taken */
export async function createUser(
  { db, clock }: AccountsContext,
  audit: Audit,
  caller: Caller,
  body: HandlerInput<typeof accounts.createUser>['body'],
): Promise<UserEntry> {
  checkPassword(body.password, body.username)
  const password_hash = await hashPassword(body.password)
  const { username, display_name } = body
  return db
    .transaction(async (trx) => {
      await db.dialect.serialize(trx, ACCOUNTS_LOCK)
      const role = await findRole(trx, body.role_id)
      const { user_id } = await insertUser(
        trx,
        { username, display_name, password_hash, role_id: role.role_id, language: 'en', last_seen_at: null },
        clock(),
      )
      const user = userEntry(await findUser(trx, user_id))
      const details = { username: user.username, role: user.role }
      await audit.record(trx, { actor: caller, action: 'user.created', target: user_id, outcome: 'ok', details })
      return user
    })
    .catch((error: unknown) => {
      throw db.isUniqueViolation(error)
        ? new AppError('username_taken', `There is a user “${username}” already; case and accents do not count.`)
        : error
    })
}

function users(db: Reader) {
  return db
    .selectFrom('user')
    .innerJoin('role', 'role.role_id', 'user.role_id')
    .select([
      'user.user_id',
      'user.username',
      'user.display_name',
      'user.role_id',
      'user.disabled_at',
      'user.created_at',
      'user.last_seen_at',
      'role.name as role',
      'role.admin',
    ])
}

export type UserRow = Awaited<ReturnType<typeof findUser>>

/** @throws {AppError} not_found */
export async function findUser(db: Reader, user_id: string) {
  const row = await users(db).where('user.user_id', '=', storable(user_id)).executeTakeFirst()
  if (!row) throw new AppError('not_found', 'There is no such user.')
  return row
}

/** @throws {AppError} unknown_role */
export async function findRole(db: Reader, role_id: string): Promise<{ role_id: string; name: string; admin: number }> {
  const role = await db
    .selectFrom('role')
    .select(['role_id', 'name', 'admin'])
    .where('role_id', '=', storable(role_id))
    .executeTakeFirst()
  if (!role) throw new AppError('unknown_role', 'Choose one of the roles in the list.')
  return role
}

/** A user as the wire has it. */
export function userEntry({ admin: _admin, disabled_at, created_at, last_seen_at, ...row }: UserRow): UserEntry {
  return { ...row, disabled: disabled_at !== null, created_at: iso(created_at), last_seen_at: isoOrNull(last_seen_at) }
}

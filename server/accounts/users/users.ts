import type { z } from 'zod'
import type { accounts, User } from '../../../contract/accounts.ts'
import type { Caller, HandlerInput } from '../../../contract/route.ts'
import type { Reader } from '../../db/database.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import { storable } from '../../kernel/text/plain-text.ts'
import { iso, isoOrNull } from '../../kernel/time.ts'
import { type AccountsContext, ACCOUNTS_LOCK } from '../accounts-context.ts'
import type { Audit } from '../audit/audit.ts'
import { insertUser } from './insert-user.ts'
import { checkPassword } from '../sign-in/password-rule.ts'
import { EVERYBODY } from '../../../contract/rules.ts'

type UserEntry = z.input<typeof User>

/** @throws {AppError} weak_password, unknown_role, username_taken, sign_in_busy */
export async function createUser(
  { db, clock, passwords }: AccountsContext,
  audit: Audit,
  caller: Caller,
  body: HandlerInput<typeof accounts.createUser>['body'],
): Promise<UserEntry> {
  let password_hash: string | null = null
  if (body.password !== undefined) {
    checkPassword(body.password, body.username)
    password_hash = await passwords.hash(body.password)
  }
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
      const user = userEntry(await findUser(trx, user_id), clock())
      const details = { username: user.username, role: user.role, password: user.password }
      await audit.record(trx, { actor: caller, action: 'user.created', target: user_id, outcome: 'ok', details })
      return user
    })
    .catch((error: unknown) => {
      throw db.isUniqueViolation(error)
        ? new AppError('username_taken', say`A user “${username}” already exists; case and accents are ignored.`)
        : error
    })
}

/** Users with the name of their role, and how they can sign in. */
export function users(db: Reader) {
  return db
    .selectFrom('user')
    .innerJoin('role', 'role.role_id', 'user.role_id')
    .leftJoin('invitation', 'invitation.user_id', 'user.user_id')
    .leftJoin('user_totp', 'user_totp.user_id', 'user.user_id')
    .where('user.deleted_at', 'is', null)
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
      'user.password_hash',
      'invitation.expires_at as invited_until',
      'user_totp.confirmed_at as second_factor_at',
    ])
}

export type UserRow = Awaited<ReturnType<typeof findUser>>

/** @throws {AppError} not_found */
export async function findUser(db: Reader, user_id: string) {
  const row = await users(db).where('user.user_id', '=', storable(user_id)).executeTakeFirst()
  if (!row) throw new AppError('not_found', say`There is no such user.`)
  return row
}

/** @throws {AppError} unknown_role */
export async function findRole(db: Reader, role_id: string): Promise<{ role_id: string; name: string; admin: number }> {
  const role = await db
    .selectFrom('role')
    .select(['role_id', 'name', 'admin'])
    .where('role_id', '=', storable(role_id))
    .where('name_folded', '!=', EVERYBODY)
    .executeTakeFirst()
  if (!role) throw new AppError('unknown_role', say`Choose one of the roles in the list.`)
  return role
}

/** A user as sent to clients. */
export function userEntry(row: UserRow, now: number): UserEntry {
  const { user_id, username, display_name, role_id, role, invited_until } = row
  return {
    user_id,
    username,
    display_name,
    role_id,
    role,
    disabled: row.disabled_at !== null,
    password: row.password_hash !== null,
    second_factor: row.second_factor_at !== null,
    invited_until: invited_until !== null && invited_until > now ? iso(invited_until) : null,
    created_at: iso(row.created_at),
    last_seen_at: isoOrNull(row.last_seen_at),
  }
}

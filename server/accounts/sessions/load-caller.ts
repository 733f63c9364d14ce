import type { Caller } from '../../../contract/route.ts'
import type { Database } from '../../db/database.ts'
import type { AccountsContext } from '../accounts-context.ts'
import { SESSION_IDLE_MS } from './session-limits.ts'

export interface SignIn {
  readonly caller: Caller
  /** Epoch milliseconds; null for a token that does not expire. */
  readonly expires_at: number | null
  /** When its use was last recorded. */
  readonly seen_at: number
}
/** Ids with which `loadCallers` makes one query. */
export const LOADED_AT_ONCE = 500
export type SignInKey = { readonly kind: Caller['kind'] } & (
  | { readonly token_hash: string }
  | { readonly session_id: string }
)

/**
 * The holder of a session or an access token: the only way from either to a caller, so that no rule about users can
 * apply to one and not to the other. One query. Null when it is unknown, expired or revoked, or the user is disabled or
 * gone.
 */
export async function loadCaller(db: Database, key: SignInKey, now: number): Promise<SignIn | null> {
  const row = key.kind === 'session' ? await session(db, key) : await token(db, key)
  return row ? signInOf(row, key.kind, now) : null
}

/**
 * Those of these sessions (or of these tokens) that `loadCaller` would find, by id, in any order. One query; at most
 * `LOADED_AT_ONCE` ids.
 */
export async function loadCallers(
  db: Database,
  kind: Caller['kind'],
  ids: readonly string[],
  now: number,
): Promise<Map<string, Caller>> {
  if (ids.length === 0) return new Map()
  // Always as many, so that there is one statement to prepare.
  const wanted = [...ids, ...Array<string>(LOADED_AT_ONCE - ids.length).fill('')]
  const rows = await (
    kind === 'session'
      ? sessions(db).where('session.session_id', 'in', wanted)
      : tokens(db).where('access_token.token_id', 'in', wanted)
  ).execute()
  const found = rows.map((row) => signInOf(row, kind, now)).filter((signIn) => signIn !== null)
  return new Map(found.map(({ caller }) => [caller.session_id, caller]))
}

interface SignInRow extends Pick<
  Caller,
  'user_id' | 'username' | 'display_name' | 'role_id' | 'session_id' | 'language'
> {
  readonly admin: number
  readonly expires_at: number | null
  readonly seen_at: number | null
  readonly permissions: string | null
}

function signInOf(row: SignInRow, kind: Caller['kind'], now: number): SignIn | null {
  const idle = kind === 'session' ? row.seen_at! + SESSION_IDLE_MS : Infinity
  const end = Math.min(row.expires_at ?? Infinity, idle)
  if (end <= now) return null
  const scope = row.permissions === null ? null : (JSON.parse(row.permissions) as string[])
  const caller: Caller = {
    user_id: row.user_id,
    username: row.username,
    display_name: row.display_name,
    role_id: row.role_id,
    // No scope subject covers administration, so a narrowed token never has it.
    admin: row.admin === 1 && scope === null,
    session_id: row.session_id,
    kind,
    language: row.language,
    scope,
  }
  return { caller, expires_at: end === Infinity ? null : end, seen_at: row.seen_at ?? 0 }
}

/**
 * When the caller's session or token expires, as of now; null for a token that does not expire, or one that is gone.
 */
export async function signInEnd({ db, clock }: AccountsContext, { kind, session_id }: Caller): Promise<number | null> {
  return (await loadCaller(db, { kind, session_id }, clock()))?.expires_at ?? null
}

const USER_COLUMNS = [
  'user.user_id',
  'user.username',
  'user.display_name',
  'user.role_id',
  'user.language',
  'role.admin',
] as const

function session(db: Database, key: SignInKey) {
  const query = sessions(db)
  const found =
    'token_hash' in key
      ? query.where('session.token_hash', '=', key.token_hash)
      : query.where('session.session_id', '=', key.session_id)
  return found.executeTakeFirst()
}

function token(db: Database, key: SignInKey) {
  const query = tokens(db)
  const found =
    'token_hash' in key
      ? query.where('access_token.token_hash', '=', key.token_hash)
      : query.where('access_token.token_id', '=', key.session_id)
  return found.executeTakeFirst()
}

function sessions(db: Database) {
  return db.read
    .selectFrom('session')
    .innerJoin('user', 'user.user_id', 'session.user_id')
    .innerJoin('role', 'role.role_id', 'user.role_id')
    .select(USER_COLUMNS)
    .select(['session.session_id', 'session.expires_at', 'session.last_seen_at as seen_at'])
    .select((row) => row.lit(null).as('permissions'))
    .where('user.disabled_at', 'is', null)
}

function tokens(db: Database) {
  return db.read
    .selectFrom('access_token')
    .innerJoin('user', 'user.user_id', 'access_token.user_id')
    .innerJoin('role', 'role.role_id', 'user.role_id')
    .select(USER_COLUMNS)
    .select([
      'access_token.token_id as session_id',
      'access_token.expires_at',
      'access_token.last_used_at as seen_at',
      'access_token.permissions',
    ])
    .where('user.disabled_at', 'is', null)
}

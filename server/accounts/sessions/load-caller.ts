import type { Caller } from '../../../contract/route.ts'
import type { Database, Reader } from '../../db/database.ts'
import { query } from '../../db/statement.ts'
import type { AccountsContext } from '../accounts-context.ts'
import { ROLE_REVISION } from '../policy/load-role.ts'
import { ELEVATION_COLUMNS, elevatedOf, elevationInForce, ROLE_IN_FORCE } from '../policy/role-in-force.ts'
import { SESSION_IDLE_MS } from './session-limits.ts'

export interface SignIn {
  readonly caller: Caller
  /** Epoch milliseconds; null for a token that does not expire. */
  readonly expires_at: number | null
  /** When its use was last recorded. */
  readonly seen_at: number
}
/** What somebody signs in with; a routine has neither. */
type SignInKind = Exclude<Caller['kind'], 'routine'>
export type SignInKey =
  | { readonly kind: SignInKind; readonly session_id: string }
  | { readonly kind: 'session'; readonly token_hash: string }
  /** A token is none where it does not count. */
  | {
      readonly kind: 'token'
      readonly token_hash: string
      readonly audience: 'api' | 'mcp'
      /** Under which it is found if it is one that a client got by OAuth, for the access that it is for. */
      readonly oauth_hash?: string | undefined
    }

/**
 * The holder of a session or an access token: the only way from either to a caller, so that no rule about users can
 * apply to one and not to the other. One query. Null when it is unknown, expired or revoked, or the user is disabled or
 * gone.
 */
export async function loadCaller(db: Database, key: SignInKey, now: number): Promise<SignIn | null> {
  const row =
    'session_id' in key
      ? await BY_ID[key.kind].first(db.read, { session_id: key.session_id, now })
      : key.kind === 'session'
        ? await SESSION_BY_HASH.first(db.read, { token_hash: key.token_hash, now })
        : ((await TOKEN_BY_HASH.first(db.read, { token_hash: key.token_hash, audience: key.audience })) ??
          (key.oauth_hash && (await OAUTH_TOKEN.first(db.read, { record_id: key.oauth_hash, now }))))
  return row ? signInOf(row, key.kind, now) : null
}

/** Those of these sessions (or of these tokens) that `loadCaller` would find, by id, in any order. One query. */
export async function loadCallers(
  db: Database,
  kind: SignInKind,
  ids: readonly string[],
  now: number,
): Promise<Map<string, Caller>> {
  if (ids.length === 0) return new Map()
  const rows = await BY_IDS[kind].all(db.read, { ids, now })
  const found = rows.map((row) => signInOf(row, kind, now)).filter((signIn) => signIn !== null)
  return new Map(found.map(({ caller }) => [caller.session_id, caller]))
}

type CallerRow = Pick<
  Caller,
  'role_revision' | 'user_id' | 'username' | 'display_name' | 'role_id' | 'session_id' | 'language'
>
interface SignInRow extends CallerRow {
  readonly admin: number
  readonly expires_at: number | null
  readonly seen_at: number | null
  readonly permissions: string | null
}

function signInOf(row: SignInRow, kind: SignInKind, now: number): SignIn | null {
  const idle = kind === 'session' ? row.seen_at! + SESSION_IDLE_MS : Infinity
  const end = Math.min(row.expires_at ?? Infinity, idle)
  if (end <= now) return null
  const scope = row.permissions === null ? null : (JSON.parse(row.permissions) as string[])
  const elevated = elevatedOf(row)
  const caller: Caller = {
    user_id: row.user_id,
    username: row.username,
    display_name: row.display_name,
    role_id: row.role_id,
    role_revision: Number(row.role_revision),
    ...(elevated && { elevated }),
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
  return kind === 'routine' ? null : ((await loadCaller(db, { kind, session_id }, clock()))?.expires_at ?? null)
}

const USER_COLUMNS = [
  'user.user_id',
  'user.username',
  'user.display_name',
  'role.role_id',
  'user.language',
  'role.admin',
] as const

function sessions(db: Reader, now: number) {
  return db
    .selectFrom('session')
    .innerJoin('user', 'user.user_id', 'session.user_id')
    .leftJoin('elevation', (join) => join.on(elevationInForce(now)))
    .innerJoin('role', (join) => join.on(ROLE_IN_FORCE))
    .select(USER_COLUMNS)
    .select(ELEVATION_COLUMNS)
    .select(ROLE_REVISION.as('role_revision'))
    .select(['session.session_id', 'session.expires_at', 'session.last_seen_at as seen_at'])
    .select((row) => row.lit(null).as('permissions'))
    .where('user.disabled_at', 'is', null)
}

function tokens(db: Reader) {
  return db
    .selectFrom('access_token')
    .innerJoin('user', 'user.user_id', 'access_token.user_id')
    .innerJoin('role', 'role.role_id', 'user.role_id')
    .select(USER_COLUMNS)
    .select(ROLE_REVISION.as('role_revision'))
    .select([
      'access_token.token_id as session_id',
      'access_token.expires_at',
      'access_token.last_used_at as seen_at',
      'access_token.permissions',
    ])
    .where('user.disabled_at', 'is', null)
}

const SESSION_BY_HASH = query((db, is: { token_hash: string; now: number }) =>
  sessions(db, is.now).where('session.token_hash', '=', is.token_hash),
)
const TOKEN_BY_HASH = query((db, is: { token_hash: string; audience: 'api' | 'mcp' }) =>
  tokens(db).where('access_token.token_hash', '=', is.token_hash).where('access_token.audience', '=', is.audience),
)
const OAUTH_TOKEN = query((db, is: { record_id: string; now: number }) =>
  tokens(db)
    .innerJoin('oauth_record', 'oauth_record.grant_id', 'access_token.token_id')
    .where('oauth_record.record_id', '=', is.record_id)
    .where('oauth_record.model', '=', 'AccessToken')
    .where('oauth_record.expires_at', '>', is.now),
)
const BY_ID = {
  session: query((db, is: { session_id: string; now: number }) =>
    sessions(db, is.now).where('session.session_id', '=', is.session_id),
  ),
  token: query((db, is: { session_id: string; now: number }) =>
    tokens(db).where('access_token.token_id', '=', is.session_id),
  ),
}
const BY_IDS = {
  session: query((db, is: { ids: readonly string[]; now: number }, anyOf) =>
    sessions(db, is.now).where('session.session_id', 'in', anyOf(is.ids)),
  ),
  token: query((db, is: { ids: readonly string[]; now: number }, anyOf) =>
    tokens(db).where('access_token.token_id', 'in', anyOf(is.ids)),
  ),
}

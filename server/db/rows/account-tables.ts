import type { Generated } from 'kysely'

export interface RoleTable {
  role_id: string
  name: string
  name_folded: string
  admin: number
  builtin: number
  created_at: number
  /** Incremented when the name, the rules or `audit_reads` change. */
  revision: Generated<number>
  /** How the audit log keeps calls that only read. */
  audit_reads: Generated<'off' | 'count' | 'full'>
  /** `Elevatable` as JSON: who decides that somebody takes the role for a while; null: nobody can. */
  elevatable: Generated<string | null>
}
/** A role that somebody takes for a while instead of their own, or asks for. */
export interface ElevationTable {
  elevation_id: string
  user_id: string
  role_id: string
  /** The names of both roles when it was asked for. */
  role: string
  own_role: string
  /** Who must agree: `Need[]` as JSON. */
  needs: string
  status: 'requested' | 'active' | 'denied' | 'expired' | 'ended'
  reason: string
  minutes: number
  requested_at: number
  started_at: number | null
  /** While requested: when the request lapses; from the start on: when the user's own role is back, whatever `status` says. */
  ends_at: number
  /** Null while it is open. */
  closed_at: number | null
  /** Username; null where time, or a change of user or role, has closed it. */
  closed_by: string | null
}
export interface RoleRuleTable {
  rule_id: string
  role_id: string
  subject: string
  effect: 'allow' | 'ask' | 'deny'
  /** `RuleSpec` as JSON: what the rule says besides; `{}` for most. */
  spec: string
  /** Of `spec`; empty when that says nothing. */
  spec_hash: string
}
export interface UserTable {
  user_id: string
  username: string
  username_folded: string
  display_name: string
  /** argon2id; null for an account that cannot sign in by password. */
  password_hash: string | null
  role_id: string
  disabled_at: number | null
  language: string
  personal_prompt: string
  created_at: number
  last_seen_at: number | null
  /** The user can no longer be found; the row is removed once everything else of theirs is gone. */
  deleted_at: number | null
}
/** One row while no administrator exists; a concurrent second setup fails to delete it. */
export interface SetupTable {
  setup_id: number
  token_hash: string
  created_at: number
}
/** A link with which a user chooses a password: one per user, gone once it is used. */
export interface InvitationTable {
  user_id: string
  /** SHA-256 of the token in the link. */
  token_hash: string
  created_at: number
  expires_at: number
}
export interface SessionTable {
  session_id: string
  /** SHA-256 of the cookie's value. */
  token_hash: string
  user_id: string
  address: string
  user_agent: string
  created_at: number
  last_seen_at: number
  /** 30 days after sign-in; idle expiry is computed from last_seen_at. */
  expires_at: number
  /** When the user last proved their identity: at sign-in, or on a later confirmation. */
  confirmed_at: number
}
export interface AccessTokenTable {
  token_id: string
  user_id: string
  name: string
  token_hash: string
  /** JSON array of subjects; null is "as wide as the owner". */
  permissions: string | null
  created_at: number
  expires_at: number | null
  last_used_at: number | null
  /** Where it counts: `api`, or `mcp` for the gateway and nothing else. */
  audience: Generated<'api' | 'mcp'>
  /** The OAuth client that it stands for: then nobody has it as a token, and what the client has names it (OauthRecordTable). */
  client_id: Generated<string | null>
}
/** What an OAuth client holds: by the hash of its id, which is the token itself. It goes with the access that it is for. */
export interface OauthRecordTable {
  model: 'AuthorizationCode' | 'AccessToken' | 'RefreshToken'
  record_id: string
  /** `token_id` of the access. */
  grant_id: string
  payload_sealed: string
  expires_at: number
  consumed_at: number | null
}
/** An MCP client that an administrator has registered. */
export interface OauthClientTable {
  client_id: string
  name: string
  /** JSON. */
  redirect_uris: string
  created_at: number
}
/** A host whose MCP clients may describe themselves. */
export interface OauthHostTable {
  host: string
}
/** A browser or an address from which a user has signed in before. */
export interface KnownPlaceTable {
  user_id: string
  place_hash: string
  kind: 'device' | 'address'
  last_used_at: number
}
/** Failed sign-ins of an account or an address, for throttling. */
export interface LoginAttemptTable {
  attempt_key: string
  failures: number
  blocked_until: number
  updated_at: number
}
/** Requests of all processes to a route, by address and minute. */
export interface RequestCountTable {
  /** Epoch minutes of the database. */
  minute: number
  /** The route and the network. */
  limit_key: string
  requests: number
}
/** What an entry of the audit log says. */
interface AuditContent {
  at: number
  actor_id: string | null
  actor: string
  action: string
  target: string
  outcome: 'ok' | 'refused' | 'failed'
  details: string
}
/** Append-only: each row's hash covers the row and the hash before it. Ids are given in the order of the chain. */
export interface AuditTable extends AuditContent {
  audit_id: Generated<number>
  previous_hash: string
  hash: string
}
/** Entries that are to be moved into the chain. Their ids may become visible in another order. */
export interface AuditUnchainedTable extends AuditContent {
  entry_id: Generated<number>
  /** When it was stored, by the time of the database. */
  recorded_at: Generated<number>
}
/** What happens too often for an entry each, counted until its hour is over and it becomes one entry of the audit log. */
export interface AuditCountTable {
  /** The beginning of the hour. */
  hour: number
  actor_id: string
  actor: string
  action: string
  target: string
  times: number
  failed: number
}

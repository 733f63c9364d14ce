import type { z } from 'zod'
import type { accounts, TokenEntry } from '../../../contract/accounts.ts'
import { MCP_TOKEN_DAYS } from '../../../contract/token-limits.ts'
import type { Caller, HandlerInput, HandlerOutput, Permission } from '../../../contract/route.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'
import { newId, newSecret } from '../../kernel/id.ts'
import { storable } from '../../kernel/text/plain-text.ts'
import { iso, isoOrNull } from '../../kernel/time.ts'
import type { AccountsContext } from '../accounts-context.ts'
import type { Audit } from '../audit/audit.ts'
import { tokenHash } from './secret-hash.ts'

/** Makes a leaked token recognisable, to people and to scanners. */
const TOKEN_PREFIX = 'rvt_'
const DAY_MS = 86_400_000
/** Every call through the gateway is a run: its token covers starting one, whatever else it names. */
const STARTS_RUNS: Permission = 'codex.use'

interface TokenRow {
  readonly token_id: string
  readonly name: string
  readonly permissions: string | null
  readonly created_at: number
  readonly expires_at: number | null
  readonly last_used_at: number | null
  readonly audience: 'api' | 'mcp'
  readonly client_id: string | null
}

/**
 * Creates an access token for a script; the return value is the only place it appears. @throws {AppError}
 * invalid_request
 */
export async function createToken(
  { db, clock }: AccountsContext,
  audit: Audit,
  caller: Caller,
  body: HandlerInput<typeof accounts.createToken>['body'],
): Promise<HandlerOutput<typeof accounts.createToken>> {
  const now = clock()
  const audience = body.audience ?? 'api'
  const expires_at = body.expires_at === undefined ? null : Date.parse(body.expires_at)
  if (expires_at !== null && expires_at <= now) {
    throw new AppError('invalid_request', say`The token would have expired already.`, {
      errors: [{ path: 'expires_at', message: 'must be in the future' }],
    })
  }
  if (audience === 'mcp') checkForGateway(body.permissions, expires_at, now)
  const token = TOKEN_PREFIX + newSecret()
  const own = audience === 'mcp' ? [STARTS_RUNS] : []
  const permissions = body.permissions === undefined ? null : [...new Set([...body.permissions, ...own])].toSorted()
  const row = {
    token_id: newId('token'),
    name: storable(body.name),
    permissions: permissions && JSON.stringify(permissions),
    created_at: now,
    expires_at,
    last_used_at: null,
    audience,
    client_id: null,
  }
  await db.transaction(async (trx) => {
    await trx
      .insertInto('access_token')
      .values({ ...row, user_id: caller.user_id, token_hash: tokenHash(token, audience) })
      .execute()
    const details = { name: row.name, audience, permissions, expires_at: isoOrNull(expires_at) }
    await audit.record(trx, { actor: caller, action: 'token.created', target: row.token_id, outcome: 'ok', details })
  })
  return { ok: true, token, item: entry(row) }
}

/**
 * A token for the gateway is kept by a program that others write, so it names what it may do, and ends.
 * @throws {AppError} invalid_request
 */
function checkForGateway(permissions: readonly string[] | undefined, expires_at: number | null, now: number): void {
  if (!permissions?.some((subject) => subject.startsWith('tool:')))
    throw new AppError('invalid_request', say`A token for an MCP client names the tools that it may use.`, {
      errors: [{ path: 'permissions', message: 'must name tools' }],
    })
  if (expires_at === null || expires_at > now + MCP_TOKEN_DAYS * DAY_MS)
    throw new AppError(
      'invalid_request',
      say`A token for an MCP client expires after ${MCP_TOKEN_DAYS} days at most.`,
      {
        errors: [{ path: 'expires_at', message: `must be within ${MCP_TOKEN_DAYS} days` }],
      },
    )
}

/** The caller's tokens, including expired ones, newest first. */
export async function listTokens({ db }: AccountsContext, caller: Caller): Promise<z.input<typeof TokenEntry>[]> {
  const rows = await db.read
    .selectFrom('access_token')
    .select(['token_id', 'name', 'permissions', 'created_at', 'expires_at', 'last_used_at', 'audience', 'client_id'])
    .where('user_id', '=', caller.user_id)
    .orderBy('token_id', 'desc')
    .execute()
  return rows.map(entry)
}

/** Revokes one of the caller's own tokens and ends its streams. @throws {AppError} not_found */
export async function revokeToken(
  { db }: AccountsContext,
  audit: Audit,
  caller: Caller,
  token_id: string,
): Promise<void> {
  await db.transaction(async (trx) => {
    const gone = await trx
      .deleteFrom('access_token')
      .where('token_id', '=', storable(token_id))
      .where('user_id', '=', caller.user_id)
      .returning('name')
      .executeTakeFirst()
    if (!gone) throw new AppError('not_found', say`You have no such access token.`)
    db.wake(trx, token_id)
    // What its client has begun is judged anew before it runs.
    db.wake(trx, 'rules')
    await audit.record(trx, { actor: caller, action: 'token.revoked', target: token_id, outcome: 'ok', details: gone })
  })
}

function entry(row: TokenRow): z.input<typeof TokenEntry> {
  return {
    token_id: row.token_id,
    name: row.name,
    audience: row.audience,
    client_id: row.client_id,
    permissions: row.permissions === null ? null : (JSON.parse(row.permissions) as string[]),
    created_at: iso(row.created_at),
    expires_at: isoOrNull(row.expires_at),
    last_used_at: isoOrNull(row.last_used_at),
  }
}

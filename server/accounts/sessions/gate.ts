import { sql } from 'kysely'
import type { Caller, Effect, Permission } from '../../../contract/route.ts'
import type { AccountsContext } from '../accounts-context.ts'
import { requireFresh } from '../sign-in/fresh-sign-in.ts'
import { onDoubt, stillValid } from './listeners.ts'
import { loadCaller, type SignIn } from './load-caller.ts'
import { csrfToken } from './csrf-token.ts'
import { callerPermission } from '../policy/policy.ts'
import { secretHash, tokenHash } from './secret-hash.ts'
import { SEEN_EVERY_MS, SESSION_MAX_MS } from './session-limits.ts'
import { openSetupState } from '../sign-in/setup-link.ts'

const CREDENTIAL_LIMIT = 200

/** The credential a client presents to identify itself. */
export interface Credential {
  readonly kind: 'cookie' | 'bearer'
  readonly token: string
  /** Where it is presented; left out: at the interface. */
  readonly audience?: 'api' | 'mcp'
}
/** What the HTTP gate must know about accounts (http's port), and what open streams check repeatedly. */
export interface AccountsGate {
  authenticate(credential: Credential): Promise<Caller | null>
  csrfToken(caller: Caller): string
  permission(caller: Caller, permission: Permission): Promise<{ effect: Effect; reason: string }>
  /** @throws {AppError} sign_in_again */
  requireFresh(caller: Caller): Promise<void>
  /** No administrator exists yet. */
  setupNeeded(): Promise<boolean>
  /** Whether each session or token is still valid, its user enabled, and the role unchanged. */
  stillValid(callers: readonly Caller[]): Promise<readonly boolean[]>
  /** Calls `listener` whenever the caller's session or token may have ended. Returns what stops that. */
  onDoubt(caller: Caller, listener: () => void): () => void
}

export function openGate(context: AccountsContext): AccountsGate {
  const { db, roles, vault, clock } = context
  return {
    async authenticate({ kind, token, audience = 'api' }) {
      if (token === '' || token.length > CREDENTIAL_LIMIT) return null
      const key =
        kind === 'cookie'
          ? { kind: 'session' as const, token_hash: secretHash(token) }
          : {
              kind: 'token' as const,
              token_hash: tokenHash(token, audience),
              audience,
              ...(audience === 'mcp' && { oauth_hash: secretHash(token) }),
            }
      const signIn = await loadCaller(db, key, clock())
      // Also when it was written by a clock that was ahead; otherwise it would not expire in time.
      if (signIn && Math.abs(clock() - signIn.seen_at) >= SEEN_EVERY_MS) await markSeen(context, signIn)
      return signIn?.caller ?? null
    },
    csrfToken: (caller) => csrfToken(vault, caller.session_id),
    async permission(caller, permission) {
      const { effect, reason } = await callerPermission(roles, caller, permission)
      return { effect, reason: reason.in(caller.language) }
    },
    requireFresh: (caller) => requireFresh(context, caller),
    setupNeeded: openSetupState(db),
    stillValid: (callers) => stillValid(context, callers),
    onDoubt: (caller, listener) => onDoubt(context, caller, listener),
  }
}

/** Never fails a request: even on a full disk, reading must work. */
async function markSeen({ db, clock, log }: AccountsContext, { caller }: SignIn): Promise<void> {
  const now = clock()
  const latest = now + SESSION_MAX_MS
  try {
    await db.transaction(async (trx) => {
      await (
        caller.kind === 'session'
          ? trx
              .updateTable('session')
              .set({
                last_seen_at: now,
                expires_at: sql<number>`case when expires_at > ${latest} then ${latest} else expires_at end`,
              })
              .where('session_id', '=', caller.session_id)
          : trx.updateTable('access_token').set({ last_used_at: now }).where('token_id', '=', caller.session_id)
      ).execute()
      await trx.updateTable('user').set({ last_seen_at: now }).where('user_id', '=', caller.user_id).execute()
    })
  } catch (error) {
    log.warn({ err: error }, 'the time of the last request could not be written')
  }
}

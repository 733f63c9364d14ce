import type { Caller, Effect, Permission } from '../../contract/route.ts'
import type { AccountsContext } from './accounts-context.ts'
import { loadCaller, type SignIn } from './load-caller.ts'
import { csrfToken } from './csrf-token.ts'
import { callerPermission } from './policy.ts'
import { secretHash } from './secret-hash.ts'
import { SEEN_EVERY_MS } from './session-limits.ts'
import { openSetupState } from './setup.ts'

const CREDENTIAL_LIMIT = 200

/** What a client shows to say who it is. */
export interface Credential {
  readonly kind: 'cookie' | 'bearer'
  readonly token: string
}
/** What the front door must know about accounts (http's port), and what open streams ask again and again. */
export interface AccountsGate {
  authenticate(credential: Credential): Promise<Caller | null>
  csrfToken(caller: Caller): string
  permission(caller: Caller, permission: Permission): Promise<{ effect: Effect; reason: string }>
  /** No administrator exists yet. */
  setupNeeded(): Promise<boolean>
  /** Whether the sign-in or token still stands, its user is enabled, and has the same role. */
  stillValid(caller: Caller): Promise<boolean>
}

export function openGate(context: AccountsContext): AccountsGate {
  const { db, vault, clock } = context
  return {
    async authenticate({ kind, token }) {
      if (token === '' || token.length > CREDENTIAL_LIMIT) return null
      const key = { kind: kind === 'cookie' ? 'session' : 'token', token_hash: secretHash(token) } as const
      const signIn = await loadCaller(db, key, clock())
      if (signIn && signIn.seen_at <= clock() - SEEN_EVERY_MS) await markSeen(context, signIn)
      return signIn?.caller ?? null
    },
    csrfToken: (caller) => csrfToken(vault, caller.session_id),
    async permission(caller, permission) {
      const { effect, reason } = await callerPermission(db, caller, permission)
      return { effect, reason: reason.in(caller.language) }
    },
    setupNeeded: openSetupState(db),
    async stillValid({ kind, session_id, user_id, role_id }) {
      const signIn = await loadCaller(db, { kind, session_id }, clock())
      return signIn?.caller.user_id === user_id && signIn.caller.role_id === role_id
    },
  }
}

/** Never fails a request: on a full disk people can still read. */
async function markSeen({ db, clock, log }: AccountsContext, { caller }: SignIn): Promise<void> {
  const now = clock()
  try {
    await db.transaction(async (trx) => {
      await (
        caller.kind === 'session'
          ? trx.updateTable('session').set({ last_seen_at: now }).where('session_id', '=', caller.session_id)
          : trx.updateTable('access_token').set({ last_used_at: now }).where('token_id', '=', caller.session_id)
      ).execute()
      await trx.updateTable('user').set({ last_seen_at: now }).where('user_id', '=', caller.user_id).execute()
    })
  } catch (error) {
    log.warn({ err: error }, 'the time of the last request could not be written')
  }
}

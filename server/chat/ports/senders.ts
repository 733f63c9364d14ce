import type { Caller, Effect, Permission } from '../../../contract/route.ts'

/**
 * The port that judges, without a request, who may send a message now. `accounts` implements it, `app` fills it.
 */
export interface Senders {
  /** The holder of a session or token; null when it has ended, or its user is disabled. */
  find(sender: { readonly kind: 'session' | 'token'; readonly session_id: string }): Promise<Caller | null>
  /** The owner of a routine as who its runs are sent, within its scope; null when the account is disabled or gone. */
  owner(of: {
    readonly user_id: string
    readonly routine_id: string
    readonly scope: readonly string[]
  }): Promise<Caller | null>
  /** `reason` is a sentence naming the deciding rule. */
  permission(caller: Caller, permission: Permission): Promise<{ effect: Effect; reason: string }>
}

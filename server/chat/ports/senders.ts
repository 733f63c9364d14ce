import type { Caller, Effect, Permission } from '../../../contract/route.ts'

/**
 * The port that judges, without a request, who may send a message now. `accounts` implements it, `app` fills it.
 */
export interface Senders {
  /** The holder of a session or token; null when it has ended, or its user is disabled. */
  find(sender: Pick<Caller, 'kind' | 'session_id'>): Promise<Caller | null>
  /** `reason` is a sentence naming the deciding rule. */
  permission(caller: Caller, permission: Permission): Promise<{ effect: Effect; reason: string }>
}

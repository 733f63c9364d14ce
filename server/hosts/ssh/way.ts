import type { Session } from './session.ts'
import type { HostTarget } from './target.ts'

/**
 * `now`: somebody waits for the answer, so what could not be reached is tried again at once. `background`: a sample that
 * comes again anyway, and waits until it is worth trying. `again`: a person has asked for a new attempt; only then is a
 * key shown once more to a machine that has refused it.
 */
export type Urgency = 'now' | 'background' | 'again'

/** What leads to a machine, for whoever only uses it. */
export interface Way {
  readonly target: HostTarget
  /** The open connection, or a new one; rejects with MachineUnreachable, or when `signal` aborts. */
  session(urgency: Urgency, signal: AbortSignal): Promise<Session>
}

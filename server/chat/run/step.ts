import type { UserPolicy } from '../ports/policy.ts'
import type { RunContext } from './run-context.ts'
import type { DrivenRun } from './run-store.ts'

/** One step of a run: the run as it was when the step began, and everything needed to take the step. */
export interface Step extends RunContext, DrivenRun {
  /** What the owner of the run may do, as of the start of the step. */
  readonly policy: UserPolicy
  /** Aborted when the person stops the run, or the service stops. */
  readonly signal: AbortSignal
}

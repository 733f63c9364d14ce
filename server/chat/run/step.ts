import type { UserPolicy } from '../ports/policy.ts'
import type { ProcedurePlan } from '../ports/procedures.ts'
import type { RunContext } from './run-context.ts'
import type { DrivenRun } from './run-store.ts'

/** What is known of a run that this process has just opened, and holds the lease of. */
export interface JustOpened {
  readonly epoch: number
  /** The text of the message it answers. */
  readonly input_text: string
}

/** One step of a run: the run as it was when the step began, and everything needed to take the step. */
export interface Step extends RunContext, DrivenRun {
  /** What the owner of the run may do, as of the start of the step. */
  readonly policy: UserPolicy
  /** What the procedure says that the run carries out, as of the start of the step; null for any other run. */
  readonly plan: ProcedurePlan | null
  /** This process has just opened the run: this is its first step. */
  readonly justOpened: boolean
  /** The text of the message it answers; null if it must be read. */
  readonly input_text: string | null
  /** Aborted when the person stops the run, or the service stops. */
  readonly signal: AbortSignal
}

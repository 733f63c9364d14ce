import type { Database } from '../../db/database.ts'
import type { Log } from '../../kernel/log.ts'
import type { Activity } from '../history/activity.ts'
import type { LeaseOwner } from './leases.ts'
import type { RunPorts } from '../ports/run-ports.ts'
import type { RunLeases } from './run-leases.ts'
import type { RunStore } from './run-store.ts'
import type { Switches } from './switches.ts'

export interface RunLimits {
  /** Model steps in one run before it is stopped with a notice. */
  readonly steps: number
  /** Tool calls that one step may request. */
  readonly callsPerStep: number
  /** Maximum length of one call's arguments, in characters. */
  readonly argumentCharacters: number
  /** Milliseconds that one step may spend waiting for an engine that is busy or fails. */
  readonly engineWait: number
  /** How often one step asks an engine again that has failed. */
  readonly retries: number
  /** Milliseconds that a card waits for a decision. */
  readonly approvalLife: number
  /** Milliseconds that a running call waits for the answer to its question. */
  readonly questionLife: number
  /** Milliseconds that the preview or the verification of a call may take. */
  readonly helperTime: number
  /** Cards of one call that may be superseded because its preview is another by then; after that it is refused. */
  readonly previews: number
}

export const RUN_LIMITS: RunLimits = {
  steps: 25,
  callsPerStep: 32,
  argumentCharacters: 256 * 1024,
  engineWait: 60_000,
  retries: 3,
  approvalLife: 24 * 3_600_000,
  questionLife: 10 * 60_000,
  helperTime: 15_000,
  previews: 5,
}

/** Everything needed to drive a run: the ports filled by other parts, and chat's own. */
export interface RunContext {
  readonly ports: RunPorts
  readonly db: Database
  readonly activity: Activity
  readonly store: RunStore
  readonly switches: Switches
  readonly log: Log
  readonly limits: RunLimits
  /** The owner under which this service takes leases. */
  readonly owner: LeaseOwner
  readonly leases: RunLeases
}

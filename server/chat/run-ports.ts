import type { Database } from '../db/database.ts'
import type { Log } from '../kernel/log.ts'
import type { Activity } from './activity.ts'
import type { Attachments } from './attachments.ts'
import type { AuditLog } from './audit-log.ts'
import type { Model } from './model.ts'
import type { Policy } from './policy.ts'
import type { RunStore } from './run-store.ts'
import type { Switches } from './switches.ts'
import type { Tools } from './tools.ts'
import type { Usage } from './usage.ts'

export interface RunLimits {
  /** Steps of the model in one run before it is stopped with a notice. */
  readonly steps: number
  /** Tool calls that one step may ask for. */
  readonly callsPerStep: number
  /** Characters of the arguments of one call. */
  readonly argumentCharacters: number
  /** Milliseconds that one step may spend waiting for a rate-limited engine. */
  readonly rateLimitWait: number
  /** Milliseconds that a card waits for a decision. */
  readonly approvalLife: number
  /** Milliseconds that a running call waits for the answer to its question. */
  readonly questionLife: number
}

export const RUN_LIMITS: RunLimits = {
  steps: 25,
  callsPerStep: 32,
  argumentCharacters: 256 * 1024,
  rateLimitWait: 60_000,
  approvalLife: 24 * 3_600_000,
  questionLife: 10 * 60_000,
}

/** Everything that driving a run needs. */
export interface RunPorts {
  readonly db: Database
  readonly activity: Activity
  readonly store: RunStore
  readonly model: Model
  readonly tools: Tools
  readonly policy: Policy
  readonly attachments: Attachments
  readonly audit: AuditLog
  readonly usage: Usage
  readonly switches: Switches
  readonly log: Log
  readonly limits: RunLimits
  /** This process, as leases name it: `host/pid/random`. */
  readonly owner: string
}

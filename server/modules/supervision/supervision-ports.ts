import type { Clock } from './clock.ts'
import type { HostLog } from '../spec/host-log.ts'

/** What every supervised module shares with the host. */
export interface SupervisionPorts {
  readonly log: HostLog
  readonly clock: Clock
  /** A random number from 0 to 1. */
  readonly chance: () => number
  readonly start_ms: number
  /** How long a call may take unless its tool says otherwise. */
  readonly deadline_ms: number
  /** How long a stopped call may take to confirm that it stopped. */
  readonly grace_ms: number
  /** Called when something that `runtime()` or `tools` reports has changed. */
  readonly onChange: (name: string) => void
}

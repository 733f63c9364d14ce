import type { Clock } from './clock.ts'
import type { HostLog } from './host-log.ts'

/** What every supervised module shares with the host. */
export interface SupervisionPorts {
  readonly log: HostLog
  readonly clock: Clock
  /** 0–1, by chance. */
  readonly chance: () => number
  readonly start_ms: number
  /** How long a call may take when its tool says nothing. */
  readonly deadline_ms: number
  /** How long a stopped call may take to confirm that it stopped. */
  readonly grace_ms: number
  /** Something that `runtime()` or `tools` tells is not as it was. */
  readonly onChange: (name: string) => void
}

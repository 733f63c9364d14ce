import type { Transport } from '@modelcontextprotocol/client'
import type { Isolation } from '../../contract/modules.ts'

/** The way to a module: what the official client speaks through, and how the other end is stopped. */
export interface ModuleLink {
  readonly transport: Transport
  readonly isolation: Isolation
  /** The processes of the module as they are now; null where it has none of its own. */
  process(): ModuleProcessStatus | null
  /** Last lines of standard error, oldest first, control characters escaped; not yet masked. */
  stderr(): readonly string[]
  /** Settles when the other end is gone, however that came; never rejects. */
  readonly gone: Promise<ModuleExit>
  /** Stops it: asks, then forces. Resolves when nothing of it is left. */
  close(): Promise<void>
}

export interface ModuleProcessStatus {
  readonly pid: number
  /** Epoch milliseconds. */
  readonly started_at: number
  /** Bytes of resident memory of the whole tree, and how many processes it has. */
  readonly rss: number
  readonly processes: number
  /** Lines on standard output that were no protocol messages. */
  readonly noise_lines: number
}

export interface ModuleExit {
  readonly code: number | null
  readonly signal: string | null
  /** A sentence: that it ended by itself, was stopped, or went over a limit. */
  readonly reason: string
}

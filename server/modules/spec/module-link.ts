import type { Transport } from '@modelcontextprotocol/client'
import type { Isolation } from '../../../contract/modules.ts'
import type { Sentence } from '../../kernel/sentence.ts'

/** The way to a module: the transport of the official client, and how the other end is stopped. */
export interface ModuleLink {
  readonly transport: Transport
  readonly isolation: FoundIsolation
  /** The module's processes as they are now; null when it has none of its own. */
  process(): ModuleProcessStatus | null
  /** The last lines of standard error, oldest first, control characters escaped, secrets not yet masked. */
  stderr(): readonly string[]
  /** Adds a line to these. */
  note?(line: string): void
  /** Resolves when the other end is gone, for whatever reason; never rejects. */
  readonly gone: Promise<ModuleExit>
  /**
   * Has its processes killed at this time even if this process stands still; a later call moves that. Milliseconds of the
   * machine's clock that only goes forward (`process.hrtime`). Only where there are processes.
   */
  until?(at: number): void
  /** Stops it, first by asking and then by force. Resolves when nothing of it is left. */
  close(): Promise<void>
}

/** How the other end is isolated, and why not better. */
export interface FoundIsolation {
  readonly level: Isolation['level']
  readonly reason: Sentence
}

export interface ModuleProcessStatus {
  readonly pid: number
  /** Epoch milliseconds. */
  readonly started_at: number
  /** Bytes of memory held by the whole process tree, shared pages counted once, and the number of its processes. */
  readonly memory: number
  readonly processes: number
  /** Lines on standard output that weren't protocol messages. */
  readonly noise_lines: number
}

export interface ModuleExit {
  readonly code: number | null
  readonly signal: string | null
  /** Whether it exited by itself, was stopped, or went over a limit. */
  readonly reason: Sentence
}

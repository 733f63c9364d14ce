import type { LogLevel, ModuleKind, Reach } from '../../../contract/modules.ts'
import type { z } from 'zod'
import type { Sentence } from '../../kernel/sentence.ts'
import type { ModuleLink } from './module-link.ts'

/** How one module should run now: the catalogue derives it from the rows, and the host makes it so. */
export interface ModuleSpec {
  readonly name: string
  readonly display_name: string
  readonly version: string
  readonly kind: z.infer<typeof ModuleKind>
  readonly reach: Reach
  /** One process runs it for all, because of its data; otherwise each runs its own. */
  readonly singleton?: boolean
  /** It is to be seen whether it runs like this: here, wherever it runs now. */
  readonly trial?: true
  /** It is not to run for a moment: its files are being replaced. */
  readonly paused?: true
  /** Changes with anything that requires a restart: version, settings, secrets, grants, limits. */
  readonly fingerprint: string
  /** Tool → the definition hash that was agreed to; null for built-ins, which need no agreement. */
  readonly pins: ReadonlyMap<string, string> | null
  /** An administrator agreed that its tools may be called for preview and verification. Built-ins need no consent. */
  readonly helpers?: boolean
  /** From which level on it is to tell what it does; null or left out: as it decides. Takes effect without a restart. */
  readonly log_level?: LogLevel | null
  /** Values to mask in whatever the module says about itself (errors, stderr). */
  readonly secrets: readonly string[]
  /** The folders granted to it, which it is given when it asks for its roots. */
  readonly folders?: readonly string[]
  /** What an earlier start of the same bytes found out about the protocol; undefined at the first start. */
  readonly probe: unknown
  /** Called once the protocol has been found out, for the next start. */
  readonly onProbe: (probe: unknown) => void
  /**
   * What must be done before each start and depends on how large the module is; its time does not count as the start's.
   * `tell` says what it is at.
   */
  prepare?(signal: AbortSignal, tell: (phase: Sentence) => void): Promise<void>
  /** Each person uses it with an account of their own: how it is reached with it, and whose account lists the tools. */
  readonly personal?: {
    readonly lister: string | null
    opening(user_id: string): Pick<ModuleSpec, 'open' | 'openOld'>
    /** When these persons have connected it, by person: what was opened with an earlier connection is over. */
    since(user_ids: readonly string[]): Promise<ReadonlyMap<string, number>>
  }
  /** Starts it; called again for every restart. Rejects with a `ModuleProblem` or any other error. */
  open(signal: AbortSignal): Promise<ModuleLink>
  /** The same by the way that servers spoke before: for those that do not understand the first. */
  openOld?(signal: AbortSignal): Promise<ModuleLink>
}

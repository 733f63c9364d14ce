import type { ModuleKind } from '../../contract/modules.ts'
import type { z } from 'zod'
import type { ModuleLink } from './module-link.ts'

/** One module as it should run now. Made from the rows by the catalogue; the host makes it so. */
export interface ModuleSpec {
  readonly name: string
  readonly display_name: string
  readonly version: string
  readonly kind: z.infer<typeof ModuleKind>
  /** Changes whenever it has to be started anew: version, settings, secrets, grants, limits. */
  readonly fingerprint: string
  /** Tool → definition hash that was agreed to; null for built-ins, which need no agreement. */
  readonly pins: ReadonlyMap<string, string> | null
  /** Values that are masked in whatever the module says about itself (errors, stderr). */
  readonly secrets: readonly string[]
  /** Folders that it was granted: what it is told when it asks for its roots. */
  readonly folders?: readonly string[]
  /** What an earlier start of the same bytes found out about the protocol; undefined at the first. */
  readonly probe: unknown
  /** Told once when the protocol was found out, for the next start. */
  readonly onProbe: (probe: unknown) => void
  /** Starts it. Called again for every restart. Rejects with a sentence. */
  open(signal: AbortSignal): Promise<ModuleLink>
}

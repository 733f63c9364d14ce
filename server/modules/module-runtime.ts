import type { Isolation, ModulePrompt, ModuleState, ModuleTool } from '../../contract/modules.ts'
import type { ModuleExit, ModuleProcessStatus } from './module-link.ts'

/** What the host knows of one module now. Times are epoch milliseconds. */
export interface ModuleRuntime {
  readonly name: string
  readonly state: Extract<ModuleState, 'starting' | 'running' | 'degraded' | 'retrying' | 'failed'>
  /** A sentence, secrets masked; null where nothing is wrong. */
  readonly problem: string | null
  /** Null while it is down. */
  readonly isolation: Isolation | null
  readonly tools: readonly ModuleTool[]
  readonly prompts: readonly ModulePrompt[]
  readonly protocol: { readonly era: string; readonly server: string; readonly capabilities: readonly string[] } | null
  readonly process: ModuleProcessStatus | null
  readonly started_at: number | null
  readonly restarts: number
  /** When it is started again; null unless `retrying`. */
  readonly next_start_at: number | null
  /** Newest first, at most 20. */
  readonly last_exits: readonly (ModuleExit & { readonly at: number })[]
  /** Newest first, at most 50. */
  readonly state_history: readonly {
    readonly at: number
    readonly state: ModuleState
    readonly problem: string | null
  }[]
  /** Oldest first, secrets masked. */
  readonly stderr: readonly string[]
}

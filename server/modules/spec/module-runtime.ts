import type { ModuleInstructions } from '../../../contract/module-offer.ts'
import type { ModulePrompt, ModuleState, ModuleTool } from '../../../contract/modules.ts'
import type { Icons } from '../../chat/ports/tools.ts'
import type { Sentence } from '../../kernel/sentence.ts'
import type { FoundIsolation, ModuleExit, ModuleProcessStatus } from './module-link.ts'

/** What the host knows about one module now. Times are in epoch milliseconds. */
export interface ModuleRuntime {
  readonly name: string
  readonly state: Extract<ModuleState, 'starting' | 'running' | 'degraded' | 'retrying' | 'failed'>
  /** Secrets are masked; null when nothing is wrong. */
  readonly problem: Sentence | null
  /** Null while it is down. */
  readonly isolation: FoundIsolation | null
  readonly tools: readonly ModuleTool[]
  readonly prompts: readonly ModulePrompt[]
  /** What it says about its tools; missing where an older process tells. */
  readonly instructions?: ModuleInstructions | null
  /** What its server looks like; missing where an older process tells. */
  readonly icons?: Icons | null
  readonly protocol: { readonly era: string; readonly server: string; readonly capabilities: readonly string[] } | null
  readonly process: ModuleProcessStatus | null
  readonly started_at: number | null
  readonly restarts: number
  /** When it will be started again; null unless `retrying`. */
  readonly next_start_at: number | null
  /** Newest first, at most 20. */
  readonly last_exits: readonly (ModuleExit & { readonly at: number })[]
  /** Newest first, at most 50. */
  readonly state_history: readonly {
    readonly at: number
    readonly state: ModuleState
    readonly problem: Sentence | null
  }[]
  /** Oldest first, secrets masked. */
  readonly stderr: readonly string[]
}

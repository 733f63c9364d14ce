import type { Sentence } from '../../kernel/sentence.ts'
import type { ModuleConnection } from '../mcp/connection.ts'
import { pinnedInstructions } from '../mcp/instructions.ts'
import { maskSecrets } from '../result/mask-secrets.ts'
import { maskSentence } from '../result/mask-sentence.ts'
import type { ModuleLink } from '../spec/module-link.ts'
import type { ModuleRuntime } from '../spec/module-runtime.ts'
import type { ModuleTrack } from './module-track.ts'
import { runtimeTools } from './runtime-tools.ts'

/** A module while it is up; `since` in epoch milliseconds. */
export interface UpModule {
  readonly link: ModuleLink
  readonly connection: ModuleConnection
  /** The calls that are under way over it. */
  readonly running: Set<Promise<unknown>>
  readonly since: number
}

/** Builds what the host reports about a module, with secrets masked. */
export function runtimeOf(known: {
  name: string
  state: ModuleRuntime['state']
  problem: Sentence | null
  up: UpModule | null
  pins: ReadonlyMap<string, string> | null
  /** Prompts would be filled in with the account that lists the tools, for whoever asks. */
  personal: boolean
  next_start_at: number | null
  track: ModuleTrack
  stderr: readonly string[]
  secrets: readonly string[]
}): ModuleRuntime {
  const { name, state, problem, up, pins, next_start_at, track, secrets } = known
  return {
    name,
    state,
    problem,
    isolation: up?.link.isolation ?? null,
    tools: up === null ? [] : runtimeTools(up.connection.lists.tools(), pins),
    prompts: known.personal ? [] : (up?.connection.lists.prompts() ?? []),
    instructions: pinnedInstructions(up?.connection.instructions ?? null, pins),
    icons: up?.connection.icons ?? null,
    protocol: up?.connection.protocol ?? null,
    process: up?.link.process() ?? null,
    started_at: up?.since ?? null,
    restarts: track.restarts,
    next_start_at,
    last_exits: track.exits.map((exit) => ({ ...exit, reason: maskSentence(exit.reason, secrets) })),
    state_history: track.states,
    stderr: known.stderr.map((line) => maskSecrets(line, secrets)),
  }
}

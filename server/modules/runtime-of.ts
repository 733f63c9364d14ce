import type { ModuleConnection } from './connection.ts'
import { maskSecrets } from './mask-secrets.ts'
import type { ModuleLink } from './module-link.ts'
import type { ModuleRuntime } from './module-runtime.ts'
import type { ModuleTrack } from './module-track.ts'
import { runtimeTools } from './runtime-tools.ts'

/** A module while it is up; `since` in epoch milliseconds. */
export interface UpModule {
  readonly link: ModuleLink
  readonly connection: ModuleConnection
  readonly since: number
}

/** What the host tells of a module, from what its supervision knows; secrets masked. */
export function runtimeOf(known: {
  name: string
  state: ModuleRuntime['state']
  problem: string | null
  up: UpModule | null
  pins: ReadonlyMap<string, string> | null
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
    prompts: up?.connection.lists.prompts() ?? [],
    protocol: up?.connection.protocol ?? null,
    process: up?.link.process() ?? null,
    started_at: up?.since ?? null,
    restarts: track.restarts,
    next_start_at,
    last_exits: track.exits.map((exit) => ({ ...exit, reason: maskSecrets(exit.reason, secrets) })),
    state_history: track.states,
    stderr: known.stderr.map((line) => maskSecrets(line, secrets)),
  }
}

import type { ModuleExit } from './module-link.ts'
import type { ModuleRuntime } from './module-runtime.ts'

const EXITS = 20
const STATES = 50

/** What became of one module over time: its states, how it went away, how often it was started again. In memory only. */
export class ModuleTrack {
  restarts = 0
  /** Newest first. */
  exits: ModuleRuntime['last_exits'] = []
  states: ModuleRuntime['state_history'] = []
  /** Those that count for the pause before the next start; forgotten when a person starts it. */
  counted: readonly { readonly at: number; readonly ran_ms: number }[] = []

  entered(state: ModuleRuntime['state'], problem: string | null, at: number): void {
    const last = this.states[0]
    // What went wrong may be known better a moment later.
    const others = last?.state === state ? this.states.slice(1) : this.states
    this.states = [{ at: last?.state === state ? last.at : at, state, problem }, ...others].slice(0, STATES)
  }

  exited(exit: ModuleExit, at: number, ran_ms: number): void {
    this.exits = [{ ...exit, at }, ...this.exits].slice(0, EXITS)
    this.counted = [{ at, ran_ms }, ...this.counted].slice(0, EXITS)
  }
}

import type { Sentence } from '../../kernel/sentence.ts'
import type { ModuleExit } from '../spec/module-link.ts'
import type { ModuleRuntime } from '../spec/module-runtime.ts'

const EXITS = 20
const STATES = 50

/** The history of one module: its states, its exits and the number of its restarts. In memory only. */
export class ModuleTrack {
  restarts = 0
  /** Newest first. */
  exits: ModuleRuntime['last_exits'] = []
  states: ModuleRuntime['state_history'] = []
  /** The exits that count towards the pause before the next start; cleared when a person starts it. */
  counted: readonly { readonly at: number; readonly ran_ms: number }[] = []

  entered(state: ModuleRuntime['state'], problem: Sentence | null, at: number): void {
    const last = this.states[0]
    // A moment later the problem may be known in more detail.
    const others = last?.state === state ? this.states.slice(1) : this.states
    this.states = [{ at: last?.state === state ? last.at : at, state, problem }, ...others].slice(0, STATES)
  }

  exited(exit: ModuleExit, at: number, ran_ms: number): void {
    this.exits = [{ ...exit, at }, ...this.exits].slice(0, EXITS)
    this.counted = [{ at, ran_ms }, ...this.counted].slice(0, EXITS)
  }
}

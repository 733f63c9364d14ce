import { say } from '../../kernel/sentence.ts'
import type { ModuleLink } from '../spec/module-link.ts'
import { ModuleProblem } from '../spec/module-problem.ts'
import type { ModuleSpec } from '../spec/module-spec.ts'
import type { DataKeeper } from './data-keeper.ts'
import type { ModuleData } from './module-data.ts'
import type { Ownership, Ownerships } from './ownerships.ts'

/** Starts modules that this process owns: their data are there first, and their processes end with the lease. */
export class OwnedStarts {
  readonly #ownerships: Ownerships
  readonly #data: ModuleData
  readonly #keeper: DataKeeper
  readonly #links = new Map<string, ModuleLink>()
  readonly #restoring = new WeakMap<Ownership, Promise<void>>()

  constructor(ownerships: Ownerships, data: ModuleData, keeper: DataKeeper) {
    this.#ownerships = ownerships
    this.#data = data
    this.#keeper = keeper
  }

  owned(spec: ModuleSpec): ModuleSpec {
    return {
      ...spec,
      prepare: async (signal, tell) => {
        tell(say`Its data are being fetched.`)
        await this.#restored(spec.name, this.#ownership(spec.name))
        await spec.prepare?.(signal, tell)
      },
      open: (signal) => this.#open(spec, signal),
    }
  }

  /** When its processes are to be killed unless this is called again; see `ModuleLink.until`. */
  killAt(module: string, at: number): void {
    this.#links.get(module)?.until?.(at)
  }

  async #open(spec: ModuleSpec, signal: AbortSignal): Promise<ModuleLink> {
    const { name } = spec
    await this.#restored(name, this.#ownership(name))
    signal.throwIfAborted()
    const link = await spec.open(signal)
    this.#links.set(name, link)
    link.until?.(this.#ownerships.killedAt)
    void link.gone.then(() => this.#links.get(name) === link && this.#links.delete(name))
    this.#keeper.begun(name)
    return link
  }

  #ownership(module: string): Ownership {
    const ownership = this.#ownerships.owned(module)
    if (ownership === null) throw new ModuleProblem(say`Another process runs it now.`)
    return ownership
  }

  /** Once for each time that it is owned: later starts find the folder as the module left it. */
  async #restored(module: string, ownership: Ownership): Promise<void> {
    const now = this.#restoring.get(ownership) ?? this.#data.restore(module, ownership.row)
    this.#restoring.set(ownership, now)
    try {
      await now
    } catch (error) {
      this.#restoring.delete(ownership)
      throw error
    }
  }
}

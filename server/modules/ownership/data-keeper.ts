import type { ModuleData } from './module-data.ts'
import type { OwnerRow } from './owner-rows.ts'

/** A module rests when it has had no call for so long. */
const QUIET_MS = 1000
/** The data of one module are kept at most this often while it runs, and looked at this often without any call. */
export const KEEP_EVERY_MS = 20_000
const LOOK_EVERY_MS = 60_000

type CurrentOf = (module: string) => { readonly row: OwnerRow; readonly before: string | null } | null

/** When the data of the modules that run here are kept: once one rests, every now and then, and when it ends. */
export class DataKeeper {
  readonly #data: ModuleData
  readonly #current: CurrentOf
  readonly #timers = new Map<string, NodeJS.Timeout>()
  readonly #calls = new Map<string, number>()
  readonly #keptAt = new Map<string, number>()
  readonly #keeping = new Map<string, Promise<void>>()
  readonly #since = performance.now()

  /** `current` says what this process owns of a module, with the copy that would be replaced. */
  constructor(data: ModuleData, current: CurrentOf) {
    this.#data = data
    this.#current = current
  }

  /** A call begins; returns what is called at its end. */
  called(module: string): () => void {
    this.#calls.set(module, (this.#calls.get(module) ?? 0) + 1)
    return () => {
      this.#calls.set(module, (this.#calls.get(module) ?? 1) - 1)
      this.#later(module, QUIET_MS)
    }
  }

  /** It has begun to run here: it may write without being called. */
  begun(module: string): void {
    if (!this.#timers.has(module)) this.#later(module, LOOK_EVERY_MS)
  }

  /** It runs here no longer: keeps what it left. */
  async ended(module: string): Promise<void> {
    clearTimeout(this.#timers.get(module))
    this.#timers.delete(module)
    await this.#keep(module)
    this.#keptAt.delete(module)
  }

  /** What runs here is lost: nothing more is kept of it. */
  lost(module: string): void {
    clearTimeout(this.#timers.get(module))
    this.#timers.delete(module)
  }

  #later(module: string, quiet_ms: number): void {
    if (!this.#data.isKept) return
    clearTimeout(this.#timers.get(module))
    const since = performance.now() - (this.#keptAt.get(module) ?? -Infinity)
    const timer = setTimeout(() => void this.#rest(module), Math.max(quiet_ms, KEEP_EVERY_MS - since))
    timer.unref()
    this.#timers.set(module, timer)
  }

  async #rest(module: string): Promise<void> {
    this.#timers.delete(module)
    if (this.#current(module) === null) return
    const unkept_ms = performance.now() - (this.#keptAt.get(module) ?? this.#since)
    // Its end sets the timer again; only a module that never rests is not waited for.
    if ((this.#calls.get(module) ?? 0) > 0 && unkept_ms < LOOK_EVERY_MS) return this.#later(module, LOOK_EVERY_MS)
    await this.#keep(module)
    if (this.#current(module) !== null && !this.#timers.has(module)) this.#later(module, LOOK_EVERY_MS)
  }

  /** One at a time for each module. */
  async #keep(module: string): Promise<void> {
    await this.#keeping.get(module)
    const current = this.#current(module)
    if (current === null) return
    this.#keptAt.set(module, performance.now())
    const keeping = this.#data.keep(module, current.row.epoch, current.before)
    this.#keeping.set(module, keeping)
    await keeping
    if (this.#keeping.get(module) === keeping) this.#keeping.delete(module)
  }
}

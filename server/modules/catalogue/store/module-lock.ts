import { AppError } from '../../../kernel/app-error.ts'
import { say } from '../../../kernel/sentence.ts'

/** Allows one change of a module at a time; a second caller is refused instead of waiting. */
export class ModuleLocks {
  readonly #held = new Map<string, Promise<unknown>>()

  /** @throws {AppError} module_busy while another `work` holds `name` */
  async hold<T>(name: string, work: () => Promise<T>): Promise<T> {
    if (this.#held.has(name)) throw busy(name)
    const working = work()
    this.#held.set(
      name,
      working.catch(() => undefined),
    )
    try {
      return await working
    } finally {
      this.#held.delete(name)
    }
  }

  /** Resolves when all work in progress has ended. */
  async settled(): Promise<void> {
    await Promise.all(this.#held.values())
  }
}

export function busy(name: string): AppError {
  return new AppError('module_busy', say`Something is being done to the module ${name}. Try again in a moment.`)
}

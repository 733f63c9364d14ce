const PAUSE_MS = 500

/**
 * Announces changes of a module: the first at once, later ones at most twice a second, and always the last one.
 * Otherwise a module in a crash loop would flood every viewer.
 */
export class ChangesTold implements Disposable {
  readonly #tell: (module: string) => void
  readonly #resting = new Map<string, { timer: NodeJS.Timeout; again: boolean }>()

  constructor(tell: (module: string) => void) {
    this.#tell = tell
  }

  changed(module: string): void {
    const resting = this.#resting.get(module)
    if (resting !== undefined) {
      resting.again = true
      return
    }
    const rest = { timer: setTimeout(() => this.#rested(module), PAUSE_MS).unref(), again: false }
    this.#resting.set(module, rest)
    this.#tell(module)
  }

  #rested(module: string): void {
    const again = this.#resting.get(module)?.again ?? false
    this.#resting.delete(module)
    if (again) this.changed(module)
  }

  [Symbol.dispose](): void {
    for (const { timer } of this.#resting.values()) clearTimeout(timer)
    this.#resting.clear()
  }
}

const PAUSE_MS = 500

/**
 * Passes on that a module changed: the first time at once, then at most twice a second, and never too little: the last change is
 * always told. A module that crashes in a loop would else flood everybody who looks.
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

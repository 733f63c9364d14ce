/**
 * Work outside requests, and the only place with repeating timers. Closing stops the timers, aborts the signal passed
 * to every task, and waits for running tasks.
 */
export class Tasks implements AsyncDisposable {
  readonly #abort = new AbortController()
  readonly #running = new Set<Promise<void>>()
  readonly #timers = new Set<NodeJS.Timeout>()
  readonly #onError: (error: unknown, name: string) => void

  constructor(onError: (error: unknown, name: string) => void) {
    this.#onError = onError
  }

  /** Runs `work` now, independently of the caller. Errors are reported, never thrown. */
  spawn(name: string, work: (signal: AbortSignal) => Promise<void>): void {
    if (this.#abort.signal.aborted) return
    const task = work(this.#abort.signal)
      .catch((error: unknown) => {
        if (!this.#abort.signal.aborted) this.#onError(error, name)
      })
      .finally(() => this.#running.delete(task))
    this.#running.add(task)
  }

  /** Runs `work` every `milliseconds`, never twice at once. */
  every(name: string, milliseconds: number, work: (signal: AbortSignal) => Promise<void>): void {
    let busy = false
    const timer = setInterval(() => {
      if (busy) return
      busy = true
      this.spawn(name, (signal) => work(signal).finally(() => (busy = false)))
    }, milliseconds)
    timer.unref()
    this.#timers.add(timer)
  }

  /** Resolves once nothing of this runs. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    this.#abort.abort()
    await Promise.all(this.#running)
  }
}

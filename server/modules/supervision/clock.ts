/** The time source of supervision, which tests replace. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number
  /** Calls `run` once, `milliseconds` from now, unless the returned function is called first. */
  after(milliseconds: number, run: () => void): () => void
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, run) {
    const timer = setTimeout(run, milliseconds)
    // A pause before a restart must not keep the process alive.
    timer.unref()
    return () => clearTimeout(timer)
  },
}

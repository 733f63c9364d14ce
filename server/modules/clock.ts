/** Time as supervision sees it: a test hands in its own. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number
  /** Calls `run` once, `milliseconds` from now, unless the returned function is called before. */
  after(milliseconds: number, run: () => void): () => void
}

export const systemClock: Clock = {
  now: () => Date.now(),
  after(milliseconds, run) {
    const timer = setTimeout(run, milliseconds)
    // A pause before a restart is no reason to stay alive.
    timer.unref()
    return () => clearTimeout(timer)
  },
}

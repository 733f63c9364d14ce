import type { EngineError } from '../ports/model.ts'
import type { RunLimits } from '../run/run-context.ts'

/** How long one step goes on asking an engine that fails before it has said anything. */
export class Patience {
  readonly #limits: Pick<RunLimits, 'retries' | 'engineWait'>
  #asked = 0
  #failed = 0
  #waited = 0

  constructor(limits: Pick<RunLimits, 'retries' | 'engineWait'>) {
    this.#limits = limits
  }

  /** Whether to ask at once for another answer in place of one that is of no use. */
  mayAskAgain(): boolean {
    return ++this.#failed <= this.#limits.retries
  }

  /** Seconds to wait before the engine is asked again; null: it is not. */
  pauseAfter({ code, passing, retryAfter }: EngineError): number | null {
    if (!passing) return null
    // Whoever asks for a pause works; whoever fails may go on failing.
    const asksToWait = code === 'engine_rate'
    if (!asksToWait && ++this.#failed > this.#limits.retries) return null
    const seconds = Math.max(0, retryAfter ?? 2 ** this.#asked * (asksToWait ? 1 : 0.5))
    this.#asked++
    // At least a second each: an engine that asks for no pause at all must not be asked for ever.
    this.#waited += Math.max(1, seconds) * 1000
    return this.#waited > this.#limits.engineWait ? null : seconds
  }
}

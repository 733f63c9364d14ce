import type { Reader } from '../../db/database.ts'
import type { RunTable } from '../../db/rows/chat-tables.ts'
import { approvalLife, boundsLeft, boundsOf, type RunBounds } from './run-bounds.ts'
import type { RunLimits } from './run-context.ts'
import { type Ending, OVER_TIME, overBound } from './run-ending.ts'

/** Keeps one driver of a run within what its routine allows. For any other run it does nothing, and asks nothing. */
export class Bound implements Disposable {
  readonly #abort: AbortController
  #bounds: RunBounds | null = null
  #timer: NodeJS.Timeout | undefined

  constructor(abort: AbortController) {
    this.#abort = abort
  }

  /** Before each step: how the run ends if it has used up something. */
  async check(reader: Reader, row: RunTable): Promise<Ending | null> {
    this.#bounds = boundsOf(row)
    if (this.#bounds === null || this.#abort.signal.aborted) return null
    const { over, left_ms } = await boundsLeft(reader, row, this.#bounds)
    if (over !== null) return overBound(over)
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#abort.abort(OVER_TIME), left_ms)
    return null
  }

  limits(limits: RunLimits): RunLimits {
    return this.#bounds === null ? limits : { ...limits, approvalLife: approvalLife(limits, this.#bounds) }
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
  }
}

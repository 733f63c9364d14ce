/** How much work may run at once. */
export interface PlaceLimits {
  /** The number of places in all; of them for heavy work; for one owner; for heavy work of one owner. */
  readonly size: number
  readonly heavy?: number
  readonly each?: number
  readonly eachHeavy?: number
}

export interface PlaceRequest {
  /** The owner of the request: places are shared between owners, not between requests. */
  readonly owner: string
  readonly heavy?: boolean
  readonly signal?: AbortSignal
  /** Maximum waiting time in milliseconds; unlimited unless given. */
  readonly wait_ms?: number | undefined
}

/** Why no place was given: the deadline passed, the signal was aborted, or the places are closed. */
export type NoPlace = 'late' | 'stopped' | 'closed'

interface Waiting extends PlaceRequest {
  settle(got: (() => void) | NoPlace): void
}

/**
 * A limited number of places that many compete for. The owner holding the fewest comes first, then the one served
 * longest ago, so that however much one owner requests, another waits only for work already begun, not for what is
 * queued. Within one owner's queue, light work overtakes heavy work that cannot begin yet.
 */
export class Places {
  readonly #limits: Required<PlaceLimits>
  /** In order of arrival. */
  readonly #waiting: Waiting[] = []
  readonly #running = new Map<string, { all: number; heavy: number }>()
  /** Owners in the order in which they were served, the most recent last. */
  readonly #served = new Set<string>()
  #all = 0
  #heavy = 0
  #closed = false

  constructor({ size, heavy = size, each = size, eachHeavy = each }: PlaceLimits) {
    this.#limits = { size, heavy, each, eachHeavy }
  }

  /** How many requests are waiting. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** Resolves to a function that returns the place, or to the reason there is none. */
  take(request: PlaceRequest): Promise<(() => void) | NoPlace> {
    const { signal, wait_ms } = request
    if (signal?.aborted === true) return Promise.resolve('stopped')
    if (this.#closed) return Promise.resolve('closed')
    return new Promise((resolve) => {
      const settle = (got: (() => void) | NoPlace): void => {
        clearTimeout(deadline)
        signal?.removeEventListener('abort', onAbort)
        const at = this.#waiting.indexOf(waiting)
        if (at >= 0) this.#waiting.splice(at, 1)
        resolve(got)
      }
      const onAbort = (): void => settle('stopped')
      const deadline = wait_ms === undefined ? undefined : setTimeout(settle, wait_ms, 'late')
      const waiting: Waiting = { ...request, settle }
      signal?.addEventListener('abort', onAbort, { once: true })
      this.#waiting.push(waiting)
      this.#serve()
    })
  }

  /** No more work begins, and waiting requests are told so. */
  close(): void {
    this.#closed = true
    for (const waiting of this.#waiting.splice(0)) waiting.settle('closed')
  }

  #serve(): void {
    for (let next = this.#next(); next !== null; next = this.#next()) {
      const { owner, heavy = false } = next
      this.#count(owner, heavy, 1)
      this.#served.delete(owner)
      this.#served.add(owner)
      let held = true
      next.settle(() => {
        if (!held) return
        held = false
        this.#count(owner, heavy, -1)
        this.#serve()
      })
    }
  }

  #next(): Waiting | null {
    const served = [...this.#served]
    let best: { waiting: Waiting; running: number; turn: number } | null = null
    for (const waiting of this.#waiting) {
      if (!this.#mayBegin(waiting)) continue
      const running = this.#running.get(waiting.owner)?.all ?? 0
      const turn = served.indexOf(waiting.owner)
      // Only an owner's first request is a candidate: a later one is never better than an earlier one.
      if (best === null || running < best.running || (running === best.running && turn < best.turn))
        best = { waiting, running, turn }
    }
    return best?.waiting ?? null
  }

  #mayBegin({ owner, heavy = false }: Waiting): boolean {
    const { size, heavy: mostHeavy, each, eachHeavy } = this.#limits
    const mine = this.#running.get(owner) ?? { all: 0, heavy: 0 }
    if (this.#all >= size || mine.all >= each) return false
    return !heavy || (this.#heavy < mostHeavy && mine.heavy < eachHeavy)
  }

  #count(owner: string, heavy: boolean, by: 1 | -1): void {
    const mine = this.#running.get(owner) ?? { all: 0, heavy: 0 }
    mine.all += by
    this.#all += by
    if (heavy) {
      mine.heavy += by
      this.#heavy += by
    }
    if (mine.all === 0) this.#running.delete(owner)
    else this.#running.set(owner, mine)
    // Owners with nothing running or waiting are forgotten, oldest first.
    if (this.#served.size > REMEMBERED) this.#served.delete(this.#served.values().next().value!)
  }
}

const REMEMBERED = 1000

import type { Database } from '../db/database.ts'
import { deleteSome, inSteps } from '../db/steps.ts'
import { sql } from 'kysely'
import { WATCH_LIMITS } from '../../contract/watch-limits.ts'
import { WATCHES_TOPIC, type WatchesContext } from './watches-context.ts'

/** Milliseconds after which what is due next is read again, in case a wake-up was lost. */
const READ_AGAIN = 5 * 60_000
const DAY_MS = 86_400_000

/**
 * Looks at what is due. Between two looks the database is asked nothing: this process knows when the next one is due, and is
 * woken by whoever changes a watch.
 */
export class Watches implements Disposable {
  readonly #context: WatchesContext
  readonly #stopListening: () => void
  /** `performance.now()` until which nothing is due. */
  #restUntil: number
  #looking: Promise<void> | null = null
  #again = false

  /** @param onDue called when something may be due at once */
  constructor(context: WatchesContext, onDue: () => void) {
    this.#context = context
    // What was due while no process ran waits until the service is up.
    this.#restUntil = performance.now() + FIRST_LOOK
    this.#stopListening = context.db.onWake(WATCHES_TOPIC, () => {
      this.#restUntil = 0
      onDue()
    })
  }

  /** One at a time: what becomes due meanwhile is looked at once more. */
  async tick(signal: AbortSignal): Promise<void> {
    if (performance.now() < this.#restUntil) return
    this.#again = true
    this.#looking ??= this.#lookAll(signal).finally(() => (this.#looking = null))
    await this.#looking
  }

  async #lookAll(signal: AbortSignal): Promise<void> {
    const { lookAtDue, nextDue } = await import('./look.ts')
    while (this.#again && !signal.aborted) {
      this.#again = false
      // What fails, such as while the database is away, is tried again at the next tick.
      this.#restUntil = 1
      await lookAtDue(this.#context, signal)
      const next = await nextDue(this.#context)
      const wait = next === null ? READ_AGAIN : Math.min(READ_AGAIN, next - (await this.#context.time()))
      // Woken meanwhile: then it is not known what is due.
      if (this.#restUntil !== 0) this.#restUntil = performance.now() + Math.max(0, wait)
    }
  }

  [Symbol.dispose](): void {
    this.#stopListening()
  }
}

/** Milliseconds after the start in which nothing is looked at. */
const FIRST_LOOK = 5 * 60_000

/** Removes crossings that ended long ago, in small pieces. */
export async function pruneCrossings(db: Database, signal: AbortSignal): Promise<void> {
  const before = Date.now() - WATCH_LIMITS.history_days * DAY_MS
  await inSteps(
    db,
    (trx) => deleteSome(trx, 'watch_crossing', ['crossing_id'], sql`ended_at is not null and crossed_at < ${before}`),
    signal,
  )
}

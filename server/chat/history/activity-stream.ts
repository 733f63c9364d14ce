import type { Caller, StreamEvent } from '../../../contract/route.ts'
import type { Database } from '../../db/database.ts'
import type { Activity } from './activity.ts'

/** Streams per session, and per user; opening more closes the oldest. A page needs one. */
const STREAMS_PER_SESSION = 10
const STREAMS_PER_USER = 50

/** Serves a user's activity as a stream that misses nothing, from any point on, for as long as the session is valid. */
export class ActivityStreams {
  readonly #db: Database
  readonly #activity: Activity
  readonly #stillValid: (caller: Caller) => Promise<boolean>
  /** By session and by user, oldest first. */
  readonly #open = new Map<string, AbortController[]>()

  constructor(db: Database, activity: Activity, stillValid: (caller: Caller) => Promise<boolean>) {
    this.#db = db
    this.#activity = activity
    this.#stillValid = stillValid
  }

  /**
   * `after`: id of the last event the client has; null begins with a snapshot. Ends when `signal` aborts. When newer
   * streams replace it, it sends an `end` event first, because a client that reconnects automatically would displace
   * another.
   */
  async *stream(caller: Caller, after: number | null, signal: AbortSignal): AsyncGenerator<StreamEvent> {
    const own = new AbortController()
    this.#register(caller.session_id, own, STREAMS_PER_SESSION)
    this.#register(caller.user_id, own, STREAMS_PER_USER)
    const ended = AbortSignal.any([signal, own.signal])
    const bell = new Bell(ended)
    const off = [
      this.#db.onWake(caller.user_id, () => bell.ring('events')),
      this.#db.onWake(caller.session_id, () => bell.ring('session')),
    ]
    try {
      let cursor = after
      if (cursor !== null && !(await this.#activity.knows(caller.user_id, cursor))) {
        yield { event: 'reset', data: { type: 'reset' } }
        cursor = null
      }
      if (cursor === null) {
        const snapshot = await this.#activity.snapshot(caller.user_id)
        cursor = snapshot.cursor
        yield { id: cursor, event: 'snapshot', data: snapshot }
      }
      while (!ended.aborted) {
        bell.clear('events')
        for (let events = await this.#activity.after(caller.user_id, cursor); events.length > 0;) {
          for (const event of events) {
            cursor = event.id
            yield { id: event.id, event: event.type, data: event }
          }
          events = await this.#activity.after(caller.user_id, cursor)
        }
        if (bell.clear('session') && !(await this.#stillValid(caller))) return
        await bell.rung()
      }
      if (own.signal.aborted && !signal.aborted)
        yield { event: 'end', data: { type: 'end', reason: 'too_many_streams' } }
    } finally {
      for (const stop of off) stop()
      this.#unregister(caller.session_id, own)
      this.#unregister(caller.user_id, own)
    }
  }

  /** `holder`: id of a session or a user. */
  #register(holder: string, own: AbortController, most: number): void {
    const open = (this.#open.get(holder) ?? []).filter(({ signal }) => !signal.aborted)
    open.push(own)
    if (open.length > most) open.shift()!.abort()
    this.#open.set(holder, open)
  }

  #unregister(holder: string, own: AbortController): void {
    const open = (this.#open.get(holder) ?? []).filter((other) => other !== own)
    if (open.length === 0) this.#open.delete(holder)
    else this.#open.set(holder, open)
  }
}

/** Remembers that it was rung, so that a ring between two waits is not lost. */
class Bell {
  readonly #rung = new Set<string>()
  readonly #signal: AbortSignal
  #wake: (() => void) | null = null

  constructor(signal: AbortSignal) {
    this.#signal = signal
    signal.addEventListener('abort', () => this.#wake?.(), { once: true })
  }
  ring(what: string): void {
    this.#rung.add(what)
    this.#wake?.()
  }
  clear(what: string): boolean {
    return this.#rung.delete(what)
  }
  /** Resolves once it rings (at once if it already has), or when the stream ends. */
  async rung(): Promise<void> {
    if (this.#rung.size > 0 || this.#signal.aborted) return
    await new Promise<void>((resolve) => (this.#wake = resolve))
    this.#wake = null
  }
}

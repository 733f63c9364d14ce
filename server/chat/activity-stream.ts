import type { Caller, StreamEvent } from '../../contract/route.ts'
import type { Database } from '../db/database.ts'
import type { Activity } from './activity.ts'

/** Streams of one session beyond this close the oldest: a page needs one. */
const STREAMS_PER_SESSION = 10

/** Hands out the activity of a user as a stream that misses nothing, from any point on, while the session stands. */
export class ActivityStreams {
  readonly #db: Database
  readonly #activity: Activity
  readonly #stillValid: (caller: Caller) => Promise<boolean>
  readonly #open = new Map<string, AbortController[]>()

  constructor(db: Database, activity: Activity, stillValid: (caller: Caller) => Promise<boolean>) {
    this.#db = db
    this.#activity = activity
    this.#stillValid = stillValid
  }

  /** `after`: id of the last event the client has; null begins with a snapshot. Ends when `signal` aborts. */
  async *stream(caller: Caller, after: number | null, signal: AbortSignal): AsyncGenerator<StreamEvent> {
    const own = this.#register(caller.session_id)
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
    } finally {
      for (const stop of off) stop()
      this.#unregister(caller.session_id, own)
    }
  }

  #register(session_id: string): AbortController {
    const own = new AbortController()
    const open = this.#open.get(session_id) ?? []
    open.push(own)
    if (open.length > STREAMS_PER_SESSION) open.shift()!.abort()
    this.#open.set(session_id, open)
    return own
  }

  #unregister(session_id: string, own: AbortController): void {
    const open = (this.#open.get(session_id) ?? []).filter((other) => other !== own)
    if (open.length === 0) this.#open.delete(session_id)
    else this.#open.set(session_id, open)
  }
}

/** Remembers that it was rung, so that a ring between two looks is not lost. */
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
  /** Resolves once something rings, at once if it has, or when the stream ends. */
  async rung(): Promise<void> {
    if (this.#rung.size > 0 || this.#signal.aborted) return
    await new Promise<void>((resolve) => (this.#wake = resolve))
    this.#wake = null
  }
}

import type { Caller, StreamEvent } from '../../../contract/route.ts'
import type { Activity } from './activity.ts'
import { type ActivityFollowers, type Follower, toStreamEvent } from './activity-followers.ts'

/** Streams per session, and per user; opening more closes the oldest. A page needs one. */
const STREAMS_PER_SESSION = 10
const STREAMS_PER_USER = 50
/** Events kept for a client that reads slowly; with more, it reads them from the table when it gets there. */
const KEPT_EVENTS = 400

type Result = IteratorResult<StreamEvent, undefined>
const DONE: Result = { done: true, value: undefined }

/** Serves users' activity as streams that miss nothing, from any point on. */
export class ActivityStreams {
  readonly #activity: Activity
  readonly #followers: ActivityFollowers
  /** By session and by user, oldest first. */
  readonly #open = new Map<string, ActivityStream[]>()

  constructor(activity: Activity, followers: ActivityFollowers) {
    this.#activity = activity
    this.#followers = followers
  }

  /**
   * `after`: id of the last event the client has; null begins with a snapshot. Ends by `return`. When newer streams
   * replace it, it gives an `end` event first, because a client that reconnects automatically would displace another.
   */
  stream(caller: Caller, after: number | null): AsyncIterable<StreamEvent> {
    const { user_id, session_id } = caller
    return {
      [Symbol.asyncIterator]: () => {
        const stream = new ActivityStream(user_id, after, this.#activity, this.#followers, () => {
          this.#unregister(session_id, stream)
          this.#unregister(user_id, stream)
        })
        this.#register(session_id, stream, STREAMS_PER_SESSION)
        this.#register(user_id, stream, STREAMS_PER_USER)
        return stream
      },
    }
  }

  /** `holder`: id of a session or a user. */
  #register(holder: string, stream: ActivityStream, most: number): void {
    const open = this.#open.get(holder) ?? []
    open.push(stream)
    this.#open.set(holder, open)
    if (open.length > most) open[0]!.replace()
  }

  #unregister(holder: string, stream: ActivityStream): void {
    const open = (this.#open.get(holder) ?? []).filter((other) => other !== stream)
    if (open.length === 0) this.#open.delete(holder)
    else this.#open.set(holder, open)
  }
}

/** One stream: reads what its client has missed by itself, and then what is read for all streams of the user. */
class ActivityStream implements AsyncIterator<StreamEvent, undefined>, Follower {
  readonly user_id: string
  readonly #activity: Activity
  readonly #followers: ActivityFollowers
  readonly #left: () => void
  /** Id of the newest event that the client has or that is kept for it; null before a snapshot. */
  #reached: number | null
  /** Id of the newest event handed out. */
  #given: number | null
  #begun = false
  #following = false
  #over = false
  /** What comes next, oldest first. */
  #kept: StreamEvent[] = []
  /** The reader that waits for the next event. */
  #waiting: Omit<PromiseWithResolvers<Result>, 'promise'> | null = null

  constructor(
    user_id: string,
    after: number | null,
    activity: Activity,
    followers: ActivityFollowers,
    left: () => void,
  ) {
    this.user_id = user_id
    this.#reached = after
    this.#given = after
    this.#activity = activity
    this.#followers = followers
    this.#left = left
  }

  get reached(): number {
    return this.#reached ?? 0
  }

  next(): Promise<Result> {
    if (this.#kept.length > 0) return Promise.resolve(this.#give(this.#kept.shift()!))
    if (this.#over) return Promise.resolve(DONE)
    if (!this.#following) return this.#catchUp().then(() => this.next())
    return new Promise((resolve, reject) => (this.#waiting = { resolve, reject }))
  }

  return(): Promise<Result> {
    this.#end()
    this.#kept = []
    return Promise.resolve(DONE)
  }

  /** Ends it with a word, for a newer one. */
  replace(): void {
    this.#end({ event: 'end', data: { type: 'end', reason: 'too_many_streams' } })
  }

  deliver(events: readonly StreamEvent[]): void {
    for (const event of events) if (event.id! > this.reached) this.#keep(event)
    if (this.#kept.length > KEPT_EVENTS) this.#fallBehind()
    this.#wakeReader()
  }

  fail(error: unknown): void {
    const waiting = this.#waiting
    this.#waiting = null
    this.#end()
    waiting?.reject(error)
  }

  /** Reads until there is something to give, or until it is as far as the others and follows with them. */
  async #catchUp(): Promise<void> {
    if (!this.#begun) {
      this.#begun = true
      await this.#beginning()
    }
    while (this.#kept.length === 0 && !this.#over) {
      const point = this.#followers.join(this)
      if (point === null) {
        this.#following = true
        return
      }
      const missed = await this.#activity.after(this.user_id, this.reached)
      if (this.#over) return
      for (const event of missed) this.#keep(toStreamEvent(event))
      // What lies between has been removed: nothing more can be read of it.
      if (missed.length === 0) this.#reached = this.#given = Math.max(this.reached, point)
    }
  }

  async #beginning(): Promise<void> {
    const after = this.#reached
    if (after !== null && (await this.#activity.knows(this.user_id, after))) return
    if (this.#over) return
    if (after !== null) this.#kept.push({ event: 'reset', data: { type: 'reset' } })
    const snapshot = await this.#activity.snapshot(this.user_id)
    if (this.#over) return
    this.#reached = this.#given = snapshot.cursor
    this.#kept.push({ id: snapshot.cursor, event: 'snapshot', data: snapshot })
  }

  #keep(event: StreamEvent): void {
    this.#kept.push(event)
    this.#reached = event.id!
  }

  #give(event: StreamEvent): Result {
    if (event.id !== undefined) this.#given = event.id
    return { done: false, value: event }
  }

  /** A client this slow costs no memory: what it has not read is read again from the table. */
  #fallBehind(): void {
    this.#followers.leave(this)
    this.#following = false
    this.#kept = []
    this.#reached = this.#given
  }

  #wakeReader(): void {
    const waiting = this.#waiting
    if (waiting === null || (this.#following && this.#kept.length === 0)) return
    this.#waiting = null
    waiting.resolve(this.next())
  }

  /** `last`: the only event still to be given. */
  #end(last?: StreamEvent): void {
    if (this.#over) return
    this.#over = true
    if (this.#following) this.#followers.leave(this)
    this.#following = false
    this.#left()
    if (last) this.#kept = [last]
    this.#wakeReader()
  }
}

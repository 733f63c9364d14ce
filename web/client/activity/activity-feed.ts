import type { ActivityEvent, ActivitySnapshot } from '../../../contract/chat.ts'
import { runActivityConnection } from './activity-connection.ts'

/**
 * What a handler of useActivity receives. `resync`: the stream has started or lost its position; read again what is
 * shown, then apply the events that follow.
 */
export type ActivitySignal = { kind: 'event'; event: ActivityEvent } | { kind: 'resync'; snapshot: ActivitySnapshot }
export type Connection = 'connecting' | 'live' | 'offline'

type TabMessage =
  | { type: 'event'; event: ActivityEvent }
  /** `repeated`: not new from the server, but repeated for a tab that asked. */
  | { type: 'snapshot'; snapshot: ActivitySnapshot; repeated?: true }
  | { type: 'status'; status: Connection }
  | { type: 'signed_out' }
  /** A tab asks the leader for the current state; `after` is the last event it has seen. */
  | { type: 'hello'; after: number | null }
/** Number of events that a leader keeps for tabs that were frozen for a while. */
const KEPT = 1000

/**
 * One activity stream per browser, however many tabs: the tab that holds the Web Lock is the leader; it has the
 * connection and passes everything on over a BroadcastChannel. When it closes, the next one gets the lock and continues
 * after the last event it has seen; tabs drop events they have already seen, by id. Without Web Locks (on an insecure
 * origin) every tab has its own connection.
 */
export class ActivityFeed {
  private readonly handlers = new Set<(signal: ActivitySignal) => void>()
  private readonly watchers = new Set<() => void>()
  private status: Connection = 'connecting'
  private lastId: number | null = null
  private snapshot: ActivitySnapshot | null = null
  private kept: ActivityEvent[] = []
  private channel: BroadcastChannel | null = null
  private leading = false
  private stopped: AbortController | null = null
  private userId: string | null = null
  private readonly signedOut: () => void

  constructor(signedOut: () => void) {
    this.signedOut = signedOut
  }

  /** Starts for a user; does nothing when already running for them. */
  start(userId: string): void {
    if (this.userId === userId) return
    this.stop()
    this.userId = userId
    const stopped = (this.stopped = new AbortController())
    const name = `reeve.activity.${userId}`
    if (navigator.locks === undefined || typeof BroadcastChannel === 'undefined') {
      void this.lead(stopped.signal)
      return
    }
    this.channel = new BroadcastChannel(name)
    this.channel.onmessage = (message: MessageEvent<TabMessage>) => this.hear(message.data)
    this.send({ type: 'hello', after: null })
    window.addEventListener('pageshow', this.catchUp, { signal: stopped.signal })
    document.addEventListener('resume', this.catchUp, { signal: stopped.signal })
    navigator.locks.request(name, { signal: stopped.signal }, () => this.lead(stopped.signal)).catch(() => undefined)
  }

  /** Closes the connection and forgets everything, at sign-out. */
  stop(): void {
    this.stopped?.abort()
    this.channel?.close()
    this.stopped = this.channel = this.userId = this.snapshot = this.lastId = null
    this.kept = []
    this.leading = false
    this.setStatus('connecting')
  }

  subscribe(handler: (signal: ActivitySignal) => void): () => void {
    this.handlers.add(handler)
    return () => this.handlers.delete(handler)
  }

  watchStatus = (watcher: () => void): (() => void) => {
    this.watchers.add(watcher)
    return () => this.watchers.delete(watcher)
  }

  currentStatus = (): Connection => this.status

  private async lead(signal: AbortSignal): Promise<void> {
    this.leading = true
    await runActivityConnection(
      {
        lastId: () => this.lastId,
        event: (event) => this.tell({ type: 'event', event }),
        snapshot: (snapshot) => this.tell({ type: 'snapshot', snapshot }),
        status: (status) => this.tell({ type: 'status', status }),
        signedOut: () => this.tell({ type: 'signed_out' }),
      },
      signal,
    )
    this.leading = false
  }

  private tell(message: TabMessage): void {
    this.send(message)
    this.hear(message)
  }

  private send(message: TabMessage): void {
    this.channel?.postMessage(message)
  }

  private hear(message: TabMessage): void {
    if (message.type === 'event') this.takeEvent(message.event)
    else if (message.type === 'snapshot') this.takeSnapshot(message.snapshot, message.repeated === true)
    else if (message.type === 'status') this.setStatus(message.status)
    else if (message.type === 'signed_out') this.signedOut()
    else if (this.leading) this.answer(message.after)
  }

  /** What a tab has missed goes to all tabs: the others recognise it by its id and drop it. */
  private answer(after: number | null): void {
    if (this.snapshot !== null && (after === null || after < this.snapshot.cursor)) {
      this.send({ type: 'snapshot', snapshot: this.snapshot, repeated: true })
    }
    for (const event of this.kept) if (after === null || event.id > after) this.send({ type: 'event', event })
    this.send({ type: 'status', status: this.status })
  }

  private takeEvent(event: ActivityEvent): void {
    if (this.lastId !== null && event.id <= this.lastId) return
    this.lastId = event.id
    this.kept.push(event)
    if (this.kept.length > KEPT) this.forgetOldest()
    this.emit({ kind: 'event', event })
  }

  /** A tab that is behind the kept events must read everything again: the snapshot moves to where they begin. */
  private forgetOldest(): void {
    const oldest = this.kept.shift()
    if (this.snapshot !== null && oldest !== undefined) this.snapshot = { ...this.snapshot, cursor: oldest.id }
  }

  private takeSnapshot(snapshot: ActivitySnapshot, repeated: boolean): void {
    // A tab that is ahead of what the leader repeats for another needs nothing.
    if (repeated && this.lastId !== null && this.lastId >= snapshot.cursor && this.snapshot !== null) return
    this.snapshot = snapshot
    this.lastId = snapshot.cursor
    this.kept = []
    this.emit({ kind: 'resync', snapshot })
  }

  private readonly catchUp = (): void => {
    if (!this.leading) this.send({ type: 'hello', after: this.lastId })
  }

  private emit(signal: ActivitySignal): void {
    for (const handler of this.handlers) handler(signal)
  }

  private setStatus(status: Connection): void {
    if (status === this.status) return
    this.status = status
    for (const watcher of this.watchers) watcher()
  }
}

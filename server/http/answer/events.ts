import type { ServerResponse } from 'node:http'
import type { StreamEvent } from '../../../contract/route.ts'
import type { StreamHolder } from './stream-holders.ts'

export const EVENT_HEADERS = Object.freeze({
  'content-type': 'text/event-stream',
  'cache-control': 'private, no-cache, no-store',
  'x-accel-buffering': 'no',
})

/** Milliseconds. */
export interface StreamTiming {
  /** Between comments that keep proxies and clients from timing out. */
  readonly heartbeat: number
  /** Between checks that the sessions are still valid; a stream outlives its session by at most this. */
  readonly recheck: number
  /** How long a client may leave written bytes unread before it is disconnected. */
  readonly slowClient: number
}
export const STREAM_TIMING: StreamTiming = Object.freeze({ heartbeat: 15_000, recheck: 10_000, slowClient: 20_000 })

export interface StreamOptions {
  /** How long a client may leave written bytes unread, in milliseconds. */
  readonly slowClient: number
  /** Who listens; null for a route that is open to everybody. */
  readonly holder: StreamHolder | null
  /** Throws when an event violates the contract. */
  readonly check: (event: StreamEvent) => void
  /** Called once, however the stream ends. */
  readonly ended: () => void
  readonly failed: (error: unknown) => void
}

const RETRY = Buffer.from('retry: 3000\n\n')
const PING = Buffer.from(': ping\n\n')

/** An event that goes to many streams is written out once. */
const encoded = new WeakMap<StreamEvent, Buffer>()

/**
 * Writes server-sent events until the iterator ends, the client leaves or reads too slowly, or `stop` is called. The
 * next event is fetched only once the last one is sent, so a slow client costs no memory. Headers are already sent.
 */
export class EventStream {
  readonly #out: ServerResponse
  readonly #iterator: AsyncIterator<StreamEvent>
  readonly #options: StreamOptions
  #open = true
  #drained: (() => void) | null = null

  constructor(out: ServerResponse, iterator: AsyncIterator<StreamEvent>, options: StreamOptions) {
    this.#out = out
    this.#iterator = iterator
    this.#options = options
  }

  /** To be called once. */
  begin(): void {
    this.#out.once('close', () => this.stop())
    void this.#pump()
  }

  /** Keeps proxies from timing out; a client that has not read the last event is not sent another comment. */
  ping(): void {
    if (this.#open && !this.#out.writableNeedDrain) this.#out.write(PING)
  }

  /**
   * Ends the stream, from outside as well. Further calls have no effect. `retryIn`: the client is asked to come back
   * after this many milliseconds, instead of the usual time.
   */
  stop(retryIn?: number): void {
    if (!this.#open) return
    this.#open = false
    this.#options.ended()
    this.#drained?.()
    // A source waiting for its next event ends by the request's signal; one that holds a resource, by this call.
    void Promise.resolve(this.#iterator.return?.()).catch(this.#options.failed)
    if (this.#out.writableNeedDrain) this.#out.destroy()
    else if (retryIn === undefined) this.#out.end()
    else this.#out.end(`retry: ${retryIn}\n\n`)
  }

  async #pump(): Promise<void> {
    const { holder, check } = this.#options
    try {
      if (!this.#out.write(RETRY)) await this.#drain()
      while (this.#open) {
        const next = await this.#iterator.next()
        // Whoever may have lost the right to listen hears nothing until that is known.
        if (holder?.inDoubt) await holder.inDoubt
        if (!this.#open || next.done === true) break
        check(next.value)
        if (!this.#out.write(encode(next.value))) await this.#drain()
      }
    } catch (error) {
      this.#options.failed(error)
    }
    this.stop()
  }

  /** Resolves once everything is with the client, or the stream has ended. */
  #drain(): Promise<void> {
    if (!this.#open) return Promise.resolve()
    return new Promise((resolve) => {
      const out = this.#out
      const timer = setTimeout(() => out.destroy(), this.#options.slowClient)
      const done = () => {
        clearTimeout(timer)
        out.off('drain', done)
        this.#drained = null
        resolve()
      }
      this.#drained = done
      out.on('drain', done)
    })
  }
}

function encode(given: StreamEvent): Buffer {
  let bytes = encoded.get(given)
  if (bytes === undefined) {
    const { id, event, data } = given
    const head = id === undefined ? '' : `id: ${id}\n`
    bytes = Buffer.from(`${head}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
    encoded.set(given, bytes)
  }
  return bytes
}

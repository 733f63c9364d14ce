import type { ServerResponse } from 'node:http'
import type { StreamEvent } from '../../../contract/route.ts'

export const EVENT_HEADERS = Object.freeze({
  'content-type': 'text/event-stream',
  'cache-control': 'private, no-cache, no-store',
  'x-accel-buffering': 'no',
})

/** Milliseconds. */
export interface StreamTiming {
  /** Between comments that keep proxies and clients from timing out. */
  readonly heartbeat: number
  /** Between checks that the session is still valid; a stream outlives its session by at most this. */
  readonly recheck: number
  /** How long a client may leave written bytes unread before it is disconnected. */
  readonly slowClient: number
}
export const STREAM_TIMING: StreamTiming = Object.freeze({ heartbeat: 15_000, recheck: 10_000, slowClient: 20_000 })

export interface StreamOptions {
  readonly timing: StreamTiming
  /** Whether the caller may still listen. Does not reject. */
  readonly allowed: () => Promise<boolean>
  /** Throws when an event violates the contract. */
  readonly check: (event: StreamEvent) => void
  /** Called once, however the stream ends. */
  readonly ended: () => void
  readonly failed: (error: unknown) => void
}

/**
 * Writes server-sent events until the iterator ends, the client leaves, reads too slowly, or may no longer listen. The
 * next event is fetched only once the last one is sent, so a slow client costs no memory. Headers are already sent.
 * Returns a function that ends the stream from outside.
 */
export function streamEvents(
  out: ServerResponse,
  iterator: AsyncIterator<StreamEvent>,
  options: StreamOptions,
): () => void {
  const { timing } = options
  let open = true
  let drained: (() => void) | null = null

  const stop = () => {
    if (!open) return
    open = false
    clearInterval(heartbeat)
    clearInterval(recheck)
    options.ended()
    drained?.()
    // A generator waiting for its next event ends by the signal; one that holds a resource, by this call.
    void Promise.resolve(iterator.return?.()).catch(options.failed)
    if (out.writableNeedDrain) out.destroy()
    else out.end()
  }
  const write = (text: string): Promise<void> | undefined => {
    if (!open || out.write(text)) return undefined
    return new Promise((resolve) => {
      const timer = setTimeout(() => out.destroy(), timing.slowClient)
      const done = () => {
        clearTimeout(timer)
        out.off('drain', done)
        drained = null
        resolve()
      }
      drained = done
      out.on('drain', done)
    })
  }
  const pump = async () => {
    await write('retry: 3000\n\n')
    while (open) {
      const next = await iterator.next()
      if (!open || next.done === true) return
      options.check(next.value)
      await write(encode(next.value))
    }
  }

  const heartbeat = setInterval(() => {
    // A client that has not read the last event is not sent another comment.
    if (!out.writableNeedDrain) out.write(': ping\n\n')
  }, timing.heartbeat)
  const recheck = setInterval(() => {
    void options.allowed().then((allowed) => allowed || stop())
  }, timing.recheck)
  out.once('close', stop)
  void pump().catch(options.failed).finally(stop)
  return stop
}

function encode({ id, event, data }: StreamEvent): string {
  const head = id === undefined ? '' : `id: ${id}\n`
  return `${head}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`
}

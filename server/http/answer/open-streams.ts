import type { ServerResponse } from 'node:http'
import type { Caller, StreamEvent } from '../../../contract/route.ts'
import { EventStream, type StreamOptions, type StreamTiming } from './events.ts'
import { Heartbeat } from './heartbeat.ts'
import { type StreamGate, StreamHolders } from './stream-holders.ts'

/** When clients come back after the service has stopped, to another process: spread, so that they do not crowd it. */
const BACK_MS = { from: 200, within: 2000 }

/** The open event streams of a server: keeps them alive, and ends those whose holder may no longer listen. */
export class OpenStreams {
  readonly #open = new Set<EventStream>()
  readonly #timing: StreamTiming
  readonly #holders: StreamHolders
  readonly #heartbeat: Heartbeat

  /** `onError`: the holders of some streams could not be checked; the streams stay open. */
  constructor(gate: StreamGate, timing: StreamTiming, onError: (error: unknown) => void) {
    this.#timing = timing
    this.#holders = new StreamHolders(gate, timing.recheck, onError)
    this.#heartbeat = new Heartbeat(timing.heartbeat)
  }

  get size(): number {
    return this.#open.size
  }

  /** Writes the events to `out` until either side ends it; `ended` is called once. */
  begin(
    out: ServerResponse,
    iterator: AsyncIterator<StreamEvent>,
    caller: Caller | null,
    { check, ended, failed }: Pick<StreamOptions, 'check' | 'failed'> & { ended: () => void },
  ): void {
    const holder = caller && this.#holders.join(caller)
    const stream = new EventStream(out, iterator, {
      slowClient: this.#timing.slowClient,
      holder,
      check,
      failed,
      ended: () => {
        this.#open.delete(stream)
        quiet()
        if (holder) this.#holders.leave(holder, stream)
        ended()
      },
    })
    const quiet = this.#heartbeat.add(stream)
    holder?.streams.add(stream)
    this.#open.add(stream)
    stream.begin()
  }

  /** Because the service stops: their clients come back soon, but not all at once. */
  stopAll(): void {
    for (const stream of this.#open) stream.stop(BACK_MS.from + Math.floor(Math.random() * BACK_MS.within))
  }
}

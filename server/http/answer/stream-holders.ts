import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Caller } from '../../../contract/route.ts'

/** What the holders of open streams are checked with. */
export interface StreamGate {
  /** Which of them may still listen, in one query. */
  stillValid(callers: readonly Caller[]): Promise<readonly boolean[]>
  /** Calls `listener` whenever the caller's session or token may have ended, until the returned function is called. */
  onDoubt(caller: Caller, listener: () => void): () => void
}

/** As much of an open stream as is needed to end it. */
interface HeldStream {
  stop(): void
}

/** A session or token, and the streams open with it. */
export interface StreamHolder {
  readonly caller: Caller
  readonly streams: Set<HeldStream>
  /** Settles once it is known whether the holder may still listen; null while nothing speaks against it. */
  inDoubt: Promise<void> | null
}

/** Holders checked in one query. */
const CHECKED_AT_ONCE = 500

/**
 * Ends the streams of those who may no longer listen: at once when told that a session may have ended, and by looking at
 * all of them every now and then, for sessions that expire and for what was not told.
 */
export class StreamHolders {
  readonly #gate: StreamGate
  readonly #onError: (error: unknown) => void
  readonly #holders = new Map<string, { readonly holder: StreamHolder; readonly deaf: () => void }>()
  readonly #every: number
  #timer: NodeJS.Timeout | null = null
  #sweeping = false

  /** `every`: milliseconds between looks at all of them. */
  constructor(gate: StreamGate, every: number, onError: (error: unknown) => void) {
    this.#gate = gate
    this.#every = every
    this.#onError = onError
  }

  /** The holder of a stream that is about to begin; `leave` must follow. */
  join(caller: Caller): StreamHolder {
    const key = keyOf(caller)
    const known = this.#holders.get(key)
    if (known) return known.holder
    const holder: StreamHolder = { caller, streams: new Set(), inDoubt: null }
    const deaf = this.#gate.onDoubt(caller, () => this.#doubt(holder))
    this.#holders.set(key, { holder, deaf })
    this.#timer ??= setInterval(() => void this.#sweep(), this.#every).unref()
    return holder
  }

  leave(holder: StreamHolder, stream: HeldStream): void {
    holder.streams.delete(stream)
    const key = keyOf(holder.caller)
    const known = this.#holders.get(key)
    if (holder.streams.size > 0 || known?.holder !== holder) return
    known.deaf()
    this.#holders.delete(key)
    if (this.#holders.size > 0) return
    clearInterval(this.#timer!)
    this.#timer = null
  }

  /** A check that began before the reason for this doubt proves nothing, so there is always another. */
  #doubt(holder: StreamHolder): void {
    const settled = this.#check([holder]).finally(() => {
      if (holder.inDoubt === settled) holder.inDoubt = null
    })
    holder.inDoubt = settled
  }

  async #sweep(): Promise<void> {
    if (this.#sweeping) return
    this.#sweeping = true
    const all = [...this.#holders.values()].map(({ holder }) => holder)
    for (let i = 0; i < all.length; i += CHECKED_AT_ONCE) {
      await this.#check(all.slice(i, i + CHECKED_AT_ONCE))
      await nextTurn()
    }
    this.#sweeping = false
  }

  /** A momentarily unavailable database ends no stream. */
  async #check(holders: readonly StreamHolder[]): Promise<void> {
    try {
      const valid = await this.#gate.stillValid(holders.map(({ caller }) => caller))
      for (const [i, { streams }] of holders.entries()) if (!valid[i]) for (const stream of streams) stream.stop()
    } catch (error) {
      this.#onError(error)
    }
  }
}

/** The role too: a token stays when it changes, but a stream opened with the old one ends. */
function keyOf({ session_id, role_id }: Caller): string {
  return `${session_id} ${role_id}`
}

import type { EventStream } from './events.ts'

/** One timer serves the streams in slices, because thousands of writes at once would make everybody else wait. */
const SLICE_MS = 250

/** Sends every stream a comment once per interval. Has a timer only while there are streams. */
export class Heartbeat {
  readonly #slices: readonly Set<EventStream>[]
  readonly #every: number
  #current = 0
  #count = 0
  #timer: NodeJS.Timeout | null = null

  /** `interval`: milliseconds between two comments to the same stream. */
  constructor(interval: number) {
    const slices = Math.max(1, Math.round(interval / SLICE_MS))
    this.#slices = Array.from({ length: slices }, () => new Set<EventStream>())
    this.#every = interval / slices
  }

  /** The first comment follows after one interval, at most a slice later. Returns a function that removes the stream. */
  add(stream: EventStream): () => void {
    const slice = this.#slices[this.#current]!
    slice.add(stream)
    this.#count++
    this.#timer ??= setInterval(() => this.#beat(), this.#every).unref()
    return () => {
      if (!slice.delete(stream) || --this.#count > 0) return
      clearInterval(this.#timer!)
      this.#timer = null
    }
  }

  #beat(): void {
    this.#current = (this.#current + 1) % this.#slices.length
    for (const stream of this.#slices[this.#current]!) stream.ping()
  }
}

/** Bytes of what a login shell printed before that are kept, to tell what it said instead. */
const NOISE = 1000
/** More of it is no greeting. */
const MOST_NOISE = 1 << 20
/** ` 4194304\n` and some. */
const AFTER = 32

/** Takes a stream apart at the line with which our script begins: what the login shell printed before it is not output. */
export class MarkedStream {
  readonly #marker: Buffer
  readonly #onBegin: (word: string) => void
  readonly #onData: (chunk: Buffer) => void
  #before: Buffer | null = Buffer.alloc(0)
  #dropped = 0
  #noise = ''

  /** `onBegin` gets what stands on the marker's line after it. */
  constructor(marker: string, onBegin: (word: string) => void, onData: (chunk: Buffer) => void) {
    this.#marker = Buffer.from(`${marker} `)
    this.#onBegin = onBegin
    this.#onData = onData
  }

  /** What came instead of the marker, its beginning, as text that can be shown. */
  get noise(): string {
    const text = this.#before === null ? '' : this.#noise + this.#before.toString('utf8')
    return text
      .replaceAll(/\p{Cc}+/gu, ' ')
      .trim()
      .slice(0, NOISE)
  }

  /** False when this cannot become anything: far too much has come before the marker. */
  push(chunk: Buffer): boolean {
    if (this.#before === null) {
      this.#onData(chunk)
      return true
    }
    const all = Buffer.concat([this.#before, chunk])
    const at = all.indexOf(this.#marker)
    const end = at === -1 ? -1 : all.indexOf(10, at)
    if (end === -1) {
      const kept = at === -1 ? all.length - this.#marker.length : at
      const passed = all.subarray(0, Math.max(0, kept))
      if (this.#noise.length < NOISE) this.#noise += passed.toString('utf8').slice(0, NOISE)
      this.#dropped += passed.length
      this.#before = Buffer.from(all.subarray(passed.length))
      return this.#dropped <= MOST_NOISE && this.#before.length <= this.#marker.length + chunk.length + AFTER
    }
    this.#before = null
    this.#onBegin(all.subarray(at + this.#marker.length, end).toString('latin1'))
    const rest = all.subarray(end + 1)
    if (rest.length > 0) this.#onData(rest)
    return true
  }
}

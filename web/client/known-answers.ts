/** Answers kept at most; the oldest goes first. */
const KEPT = 30

interface KnownAnswer {
  readonly etag: string
  readonly value: unknown
}

/**
 * Answers that carry an ETag, in the page's memory alone: the server sends `no-store`, so the browser keeps none. Asked
 * for again, an unchanged one comes as 304 without a body.
 */
export class KnownAnswers {
  readonly #byAddress = new Map<string, KnownAnswer>()

  get(address: string): KnownAnswer | undefined {
    return this.#byAddress.get(address)
  }

  keep(address: string, etag: string, value: unknown): void {
    this.#byAddress.delete(address)
    this.#byAddress.set(address, { etag, value })
    if (this.#byAddress.size > KEPT) this.#byAddress.delete(this.#byAddress.keys().next().value!)
  }

  /** Another user may sign in to this page. */
  forget(): void {
    this.#byAddress.clear()
  }
}

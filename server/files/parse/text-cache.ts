import type { FileText } from './file-text.ts'

/** Characters of all cached texts: 32 MiB of memory. */
const CHARACTERS = 16 * 1024 * 1024
/** What a text costs besides its characters. */
const OVERHEAD = 500
/** How long a failure counts that may have been bad luck. */
const RETRY_MS = 5 * 60_000

/**
 * The texts of recently read files, so that the next step of a run and the next message don't read them again. A file
 * never changes, so nothing goes stale; the least recently used texts go first. Concurrent requests share one reading.
 */
export class TextCache {
  readonly #limit: number
  readonly #now: () => number
  readonly #kept = new Map<string, { text: FileText; until: number }>()
  readonly #reading = new Map<string, Promise<FileText>>()
  #characters = 0

  constructor(limit = CHARACTERS, now: () => number = () => performance.now()) {
    this.#limit = limit
    this.#now = now
  }

  async get(key: string, read: () => Promise<FileText>): Promise<FileText> {
    const kept = this.#kept.get(key)
    if (kept !== undefined && kept.until > this.#now()) {
      this.#kept.delete(key)
      this.#kept.set(key, kept)
      return kept.text
    }
    let reading = this.#reading.get(key)
    if (reading === undefined) {
      reading = read()
        .then((text) => this.#keep(key, text))
        .finally(() => this.#reading.delete(key))
      this.#reading.set(key, reading)
    }
    return reading
  }

  #keep(key: string, text: FileText): FileText {
    this.#drop(key)
    this.#kept.set(key, { text, until: text.lasting ? Infinity : this.#now() + RETRY_MS })
    this.#characters += sizeOf(text)
    for (const oldest of this.#kept.keys()) {
      if (this.#characters <= this.#limit) break
      this.#drop(oldest)
    }
    return text
  }

  #drop(key: string): void {
    const kept = this.#kept.get(key)
    if (kept === undefined) return
    this.#kept.delete(key)
    this.#characters -= sizeOf(kept.text)
  }
}

function sizeOf({ text, detail }: FileText): number {
  return OVERHEAD + (text?.length ?? 0) + String(detail ?? '').length
}

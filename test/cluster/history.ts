import { createWriteStream, type WriteStream } from 'node:fs'
import { join } from 'node:path'

/** Milliseconds since the history began, from a clock that does not jump. */
type At = number

/** One request as the client saw it. */
export interface RequestEntry {
  readonly at: At
  readonly by: string
  /** What it was for: `send`, `upload` … */
  readonly kind: string
  /** Which replica answered; null when the balancer did, or nobody. */
  readonly replica: number | null
  /** `cut`: no answer, or not all of it. `late`: none in time. `none`: the balancer has nobody to send it to. */
  readonly outcome: 'ok' | 'refused' | 'cut' | 'late' | 'none'
  readonly status: number | null
  readonly code: string | null
  readonly retryAfter: boolean
  readonly ms: number
}

/** Something that was broken, and what it was: `replica` null is all of them. */
export interface FaultEntry {
  readonly at: At
  readonly fault: string
  readonly replica: number | null
  /** Since when others may have waited for it: what is to happen at a certain step begins later than it is ordered. */
  blocks: At
  /** When it was mended; null while it lasts. */
  until: At | null
}

export interface Violation {
  readonly at: At
  readonly invariant: string
  readonly what: string
}

/** What happened, in order: kept as NDJSON in the work folder, and here for the checks at the end. */
export class History {
  readonly requests: RequestEntry[] = []
  readonly faults: FaultEntry[] = []
  readonly violations: Violation[] = []
  readonly file: string
  readonly #out: WriteStream
  readonly #began = performance.now()
  readonly #beganAt = Date.now()

  constructor(folder: string) {
    this.file = join(folder, 'history.ndjson')
    this.#out = createWriteStream(this.file)
  }

  now(): At {
    return Math.round(performance.now() - this.#began)
  }

  /** What a clock of this machine shows, as a moment of this history. */
  atOf(epoch: number): At {
    return epoch - this.#beganAt
  }

  note(type: string, entry: object): void {
    this.#out.write(`${JSON.stringify({ type, at: this.now(), ...entry })}\n`)
  }

  request(entry: RequestEntry): void {
    this.requests.push(entry)
    this.note('request', entry)
  }

  /** Begins a fault; call `over` once it is mended, and `blocks` if others may wait for it only from then on. */
  fault(fault: string, replica: number | null): { blocks(): void; over(): void } {
    const at = this.now()
    const entry: FaultEntry = { at, fault, replica, blocks: at, until: null }
    this.faults.push(entry)
    this.note('fault', { fault, replica })
    return {
      blocks: () => {
        entry.blocks = this.now()
      },
      over: () => {
        entry.until = this.now()
        this.note('mended', { fault, replica, since: entry.at })
      },
    }
  }

  violation(invariant: string, what: string, at: At = this.now()): void {
    this.violations.push({ at, invariant, what })
    this.note('violation', { invariant, what, at })
  }

  /** What was broken between two moments, in words; `grace`: also what was mended that long before. */
  broken(from: At, to: At, grace = 0): FaultEntry[] {
    return this.faults.filter(({ at, until }) => at <= to && (until === null || until + grace >= from))
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.#out.end(resolve))
  }
}

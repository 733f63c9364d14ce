/** One thing that was looked at. */
export interface Finding {
  /** `database.rows`, `files.bytes` … */
  readonly check: string
  readonly ok: boolean
  /** How much was looked at. */
  readonly looked_at: number
  /** What is wrong, the first of it. */
  readonly problems: readonly string[]
  /** How much is wrong. */
  readonly count: number
  /** What was put right, or what a person can do. */
  readonly note: string | null
}

const SHOWN = 20

/** Collects what is wrong with one thing, and keeps the first of it. */
export class FindingDraft {
  readonly #check: string
  readonly #problems: string[] = []
  #count = 0
  lookedAt = 0
  note: string | null = null

  constructor(check: string) {
    this.#check = check
  }

  add(problem: string): void {
    this.#count++
    if (this.#problems.length < SHOWN) this.#problems.push(problem)
  }

  finding({ harmless = false } = {}): Finding {
    return {
      check: this.#check,
      ok: harmless || this.#count === 0,
      looked_at: this.lookedAt,
      problems: this.#problems,
      count: this.#count,
      note: this.note,
    }
  }
}

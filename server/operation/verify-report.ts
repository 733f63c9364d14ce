/** The result of one check. */
export interface Finding {
  /** `database.rows`, `files.bytes` … */
  readonly check: string
  readonly ok: boolean
  /** How many items were checked. */
  readonly looked_at: number
  /** The first problems found. */
  readonly problems: readonly string[]
  /** How many problems there are. */
  readonly count: number
  /** What was repaired, or what a person can do. */
  readonly note: string | null
}

const SHOWN = 20

/** Collects the problems of one check, and keeps the first of them. */
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

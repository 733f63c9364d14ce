import type { Database } from '../db/database.ts'

/** Wakes every process when somebody's first routine was saved, or the last one is gone. */
export const ROUTINES_TOPIC = 'routines'

/** Whether there is any routine at all: without one, looking for what is due asks the database nothing. */
export class KnownRoutines implements Disposable {
  readonly #db: Database
  readonly #stopListening: () => void
  #any = false

  private constructor(db: Database) {
    this.#db = db
    this.#stopListening = db.revisions.follow(ROUTINES_TOPIC, () => this.read())
  }

  static async open(db: Database): Promise<KnownRoutines> {
    const known = new KnownRoutines(db)
    await known.read()
    return known
  }

  get any(): boolean {
    return this.#any
  }

  async read(): Promise<void> {
    const one = await this.#db.read.selectFrom('routine').select('routine_id').limit(1).executeTakeFirst()
    this.#any = one !== undefined
  }

  [Symbol.dispose](): void {
    this.#stopListening()
  }
}

import { sql, type Transaction } from 'kysely'
import type { Reader } from './reader.ts'
import type { Tables } from './schema.ts'
import { change, query } from './statement.ts'

/**
 * What every process keeps a copy of, or judges calls by. Each has a counter that grows in the transaction of every
 * change, so that no process depends on having been woken. `rules` are roles, their rules, and who has which.
 */
export const REVISED = [
  'ai.engine',
  'channels',
  'hosts',
  'modules',
  'procedures',
  'routines',
  'rules',
  'switches',
] as const
export type Revised = (typeof REVISED)[number]

/** The sum of all revisions: it differs once any of them has changed. An expression, to be read along with something. */
export const REVISION = sql<number>`coalesce((select sum(value) from revision), 0)`

interface RevisionsOptions {
  readonly read: Reader
  readonly onWake: (topic: string, listener: () => void) => () => void
  readonly onError: (error: Error) => void
}

/**
 * The copies that this process keeps of what changes rarely: each is read again once its revision has moved. A wake-up
 * has it looked at at once, a heartbeat within seconds, and whatever starts a call before the call.
 */
export class Revisions {
  readonly #options: RevisionsOptions
  readonly #copies = new Map<string, Set<() => Promise<unknown>>>()
  #known: ReadonlyMap<string, number> = new Map()
  /** The sum of what is known. */
  #reached = 0
  #looking: Promise<void> | null = null
  #next: Promise<void> | null = null

  constructor(options: RevisionsOptions) {
    this.#options = options
  }

  /** From here on: whoever follows reads its first copy afterwards. */
  async begin(): Promise<void> {
    this.#take(await this.#revisions())
  }

  /** Has `read` called whenever the topic has changed, until the returned function is called. */
  follow(topic: Revised, read: () => Promise<unknown>): () => void {
    const copies = this.#copies.get(topic) ?? new Set()
    this.#copies.set(topic, copies.add(read))
    const deaf = this.#options.onWake(topic, () => void this.look().catch(this.#options.onError))
    return () => {
      deaf()
      copies.delete(read)
    }
  }

  /** Resolves once every copy is at least as new as `revision`, which was read as REVISION. */
  async reach(revision: number): Promise<void> {
    if (revision !== this.#reached) await this.look()
  }

  /** Reads again what has changed. Whatever was committed before is known once this resolves. */
  look(): Promise<void> {
    if (this.#looking === null) return (this.#looking = this.#look().finally(() => (this.#looking = null)))
    // Something may have changed after the one under way has looked; one more does for all who ask meanwhile.
    this.#next ??= this.#looking
      .catch(() => undefined)
      .then(() => {
        this.#next = null
        return this.look()
      })
    return this.#next
  }

  async #look(): Promise<void> {
    const found = await this.#revisions()
    const moved = [...found].filter(([topic, value]) => this.#known.get(topic) !== value)
    // What cannot be read now is still unknown, and is read at the next look.
    await Promise.all(moved.flatMap(([topic]) => [...(this.#copies.get(topic) ?? [])].map((read) => read())))
    this.#take(found)
  }

  #take(found: ReadonlyMap<string, number>): void {
    this.#known = found
    this.#reached = [...found.values()].reduce((sum, value) => sum + value, 0)
  }

  async #revisions(): Promise<Map<string, number>> {
    const rows = await ALL.all(this.#options.read, {})
    return new Map(rows.map(({ topic, value }) => [topic, Number(value)]))
  }
}

const ALL = query((db, _is: Record<never, never>) => db.selectFrom('revision').selectAll())

/** Counts the changes of those topics that have a revision. The last thing in a transaction, always in the same order. */
export async function countRevisions(trx: Transaction<Tables>, topics: ReadonlySet<string>): Promise<void> {
  for (const topic of REVISED) if (topics.has(topic)) await COUNT.run(trx, { topic })
}

const COUNT = change((db, is: { topic: string }) =>
  db
    .insertInto('revision')
    .values({ topic: is.topic, value: 1 })
    .onConflict((conflict) =>
      conflict.column('topic').doUpdateSet((row) => ({ value: row('revision.value', '+', 1) })),
    ),
)

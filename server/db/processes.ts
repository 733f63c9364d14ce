import { hostname } from 'node:os'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { newId } from '../kernel/id.ts'
import type { Database } from './database.ts'
import { KNOWN_RUN } from './known-runs.ts'
import { ProcessLocks } from './process-locks.ts'
import type { ProcessTable } from './rows/process-tables.ts'
import { REVISION } from './revisions.ts'
import type { Tables } from './schema.ts'
import { change, query } from './statement.ts'

/** Milliseconds between two signs of life of a process. */
const HEARTBEAT = 4000
/** After this time a heartbeat is late. */
const LATE = 2.5 * HEARTBEAT
/** A process that has not been heard of for so long counts as dead: it is frozen, cut off, or has ended. */
export const PROCESS_LIFE = 20_000
/** Rows of processes that did not stop by themselves are kept so long, for those who look into it. */
const KEPT = 3_600_000

/** A process on this database, as of now. */
export interface KnownProcess {
  readonly process_id: string
  readonly host: string
  readonly version: string
  /** Where it listens; null until it does. */
  readonly address: string | null
  /** Times of the database in epoch milliseconds. */
  readonly started_at: number
  readonly heartbeat_at: number
  readonly stopping_at: number | null
  /** It was heard of within PROCESS_LIFE. */
  readonly alive: boolean
}

/** What a heartbeat finds out besides, in the same round trip. */
export interface Signs {
  /** A run has lost its driver, and this process is steady. */
  readonly left: boolean
}

export interface ProcessesOptions {
  readonly db: Database
  readonly version: string
  /** Of its data folder: whoever shares it can tell at once that this process has ended. */
  readonly folder: string
  readonly onError: (error: unknown) => void
}

/**
 * This process among those that work on the same database: it says every few seconds that it is alive, by the time of the
 * database, and knows which others are. On the embedded database it is alone, and says nothing: the lock of the data
 * folder says it better, and the disk stays quiet.
 */
export class Processes implements AsyncDisposable {
  /** Identifies this start of this process; nobody can guess it. */
  readonly id = newId('process')
  readonly #db: Database
  readonly #row: { readonly process_id: string; readonly host: string; readonly version: string }
  readonly #locks: ProcessLocks
  readonly #onError: (error: unknown) => void
  /** Hears the others' changes with each heartbeat. */
  readonly #heard: ((signs: Signs) => void)[] = []
  #address: string | null = null
  #timer: NodeJS.Timeout | undefined
  #beating: Promise<unknown> = Promise.resolve()
  #telling: Promise<unknown> = Promise.resolve()
  /** Of the last heartbeat, by the clock that only counts durations. */
  #beaten = performance.now()
  /** It came much later than it should. */
  #late = false

  private constructor({ db, version, folder, onError }: ProcessesOptions) {
    this.#db = db
    this.#row = { process_id: this.id, host: hostname().slice(0, 200), version }
    this.#locks = new ProcessLocks(folder)
    this.#onError = onError
  }

  /** Enters this process; on the embedded database, all others have ended. */
  static async open(options: ProcessesOptions): Promise<Processes> {
    const { db } = options
    const processes = new Processes(options)
    if (db.dialect.file !== null) {
      await db.write.deleteFrom('process').execute()
      await ENTER.run(db.write, processes.#own)
      return processes
    }
    // A restart on the same data folder takes over at once.
    await processes.#forget(processes.#locks.clear())
    processes.#locks.take(processes.id)
    await ENTER.run(db.write, processes.#own)
    processes.#timer = setInterval(() => processes.#beatSurely(), HEARTBEAT)
    processes.#timer.unref()
    return processes
  }

  /** This process and all others that were heard of lately, the oldest first. On the embedded database this one. */
  async alive(): Promise<KnownProcess[]> {
    return (await this.known()).filter(({ alive }) => alive)
  }

  /** Whether the process of that id may be at work: it was heard of within PROCESS_LIFE, by the database's time. */
  async isAlive(process_id: string): Promise<boolean> {
    if (process_id === this.id) return true
    return (await this.known()).some((one) => one.process_id === process_id && one.alive)
  }

  /** The same, with those that did not stop by themselves within the last hour. */
  async known(): Promise<KnownProcess[]> {
    const known = await readProcesses(this.#db)
    return known.map((one) => (one.process_id === this.id ? { ...one, alive: true } : one))
  }

  /**
   * Whether its last two heartbeats came in time. A process that was frozen or cut off itself, as all are while the database
   * is away, takes nothing from others yet: they may be about to say that they are alive.
   */
  get steady(): boolean {
    return this.#timer === undefined || (!this.#late && performance.now() - this.#beaten <= LATE)
  }

  /** Where this process listens, once it does. */
  async listensOn(address: string): Promise<void> {
    this.#address = address
    await ENTER.run(this.#db.write, this.#own)
  }

  /** Says that it takes no more work, and ends once what is under way rests. */
  stopping(): void {
    this.#telling = STOPPING.run(this.#db.write, { process_id: this.id }).catch(this.#onError)
  }

  /** Calls `listener` with what each heartbeat has found, until this process ends. */
  onHeartbeat(listener: (signs: Signs) => void): void {
    this.#heard.push(listener)
  }

  #beatSurely(): void {
    this.#beating = this.#beat().catch(this.#onError)
  }

  async #beat(): Promise<void> {
    const { revision, left, old } = (await BEAT.first(this.#db.write, this.#own))!
    const now = performance.now()
    this.#late = now - this.#beaten > LATE
    this.#beaten = now
    for (const listener of this.#heard) listener({ left: Boolean(left) && this.steady })
    await this.#db.revisions.reach(Number(revision))
    if (old) await PRUNE.run(this.#db.write, {})
  }

  get #own() {
    return { ...this.#row, address: this.#address }
  }

  async #forget(ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.#db.write.deleteFrom('process').where('process_id', 'in', ids).execute()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all([this.#beating, this.#telling])
    await this.#forget([this.id]).catch(this.#onError)
    this.#locks[Symbol.dispose]()
  }
}

/** Those that work on the database, and those that did not stop by themselves within the last hour, the oldest first. */
export async function readProcesses(db: Pick<Database, 'read'>): Promise<KnownProcess[]> {
  const rows = await KNOWN.all(db.read, {})
  return rows.map(({ silent, ...row }) => ({ ...row, alive: Number(silent) < PROCESS_LIFE }))
}

type Own = Pick<ProcessTable, 'process_id' | 'host' | 'version' | 'address'>

function enter(db: Kysely<Tables>, is: Own, now: RawBuilder<number>) {
  const { process_id, host, version, address } = is
  return (
    db
      .insertInto('process')
      .values({ process_id, host, version, address, started_at: now, heartbeat_at: now })
      // The others have forgotten one that was silent for too long.
      .onConflict((conflict) => conflict.column('process_id').doUpdateSet({ address, heartbeat_at: now }))
  )
}

const ENTER = change((db, is: Own, _anyOf, now) => enter(db, is, now))

/** Says that this process is alive, and asks everything that is asked all day: one statement for both. */
const BEAT = change((db, is: Own, _anyOf, now) =>
  db
    .with('beat', (cte) => enter(cte as never, is, now).returning('process_id'))
    .selectNoFrom(({ exists, selectFrom }) => [
      REVISION.as('revision'),
      exists(
        selectFrom('run')
          .select('run_id')
          .where(sql<boolean>`status in ('thinking', 'acting')`)
          .where(KNOWN_RUN)
          .where('lease_expires_at', '<', now),
      ).as('left'),
      exists(
        selectFrom('process')
          .select('process_id')
          .where('heartbeat_at', '<', sql<number>`${now} - ${sql.lit(KEPT)}`),
      ).as('old'),
    ]),
)

const PRUNE = change((db, _is: Record<never, never>, _anyOf, now) =>
  db.deleteFrom('process').where('heartbeat_at', '<', sql<number>`${now} - ${sql.lit(KEPT)}`),
)

const STOPPING = change((db, is: Pick<ProcessTable, 'process_id'>, _anyOf, now) =>
  db.updateTable('process').set({ stopping_at: now }).where('process_id', '=', is.process_id),
)

const KNOWN = query((db, _is: Record<never, never>, _anyOf, now) =>
  db
    .selectFrom('process')
    .selectAll()
    .select(sql<number>`${now} - heartbeat_at`.as('silent'))
    .orderBy('started_at')
    .orderBy('process_id'),
)

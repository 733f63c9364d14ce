import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { Vault } from '../../kernel/vault.ts'

/** A call whose asker has not looked for so long is stopped: nobody waits for it. */
const FORSAKEN_MS = 20_000
/** After so long its row is removed: whoever asked has ended, or was frozen so long that its run is another's. */
const KEPT_MS = 600_000

/** What is woken when there is something new for this process to run. */
export function topicOf(owner: string): string {
  return `module-calls:${owner}`
}

/** A call as whoever asked sees it. */
export interface AskedCall {
  readonly state: 'asked' | 'taken' | 'done'
  /** Whether its owner has lost the module: it will never answer. */
  readonly lost: boolean
  readonly progress: string | null
  readonly question: string | null
  readonly result: string | null
}

/** A call as its owner sees it while it runs. */
export interface RunningCall {
  readonly call_id: string
  readonly cancelled: boolean
  /** Nobody waits for it any more. */
  readonly forsaken: boolean
  readonly answer: string | null
}

/**
 * The calls of modules that run in another process, a row each. What a call is about is sealed; who asked deletes the row.
 * A row is taken once, by the owner of that moment, so that nothing runs twice.
 */
export class CallRows {
  readonly #db: Database
  readonly #vault: Vault

  constructor(db: Database, vault: Vault) {
    this.#db = db
    this.#vault = vault
  }

  seal(value: unknown): string {
    return this.#vault.seal('module-call', JSON.stringify(value))
  }

  open(sealed: string): unknown {
    return JSON.parse(this.#vault.open('module-call', sealed)) as unknown
  }

  /** `owner` is woken, if it is known. */
  async ask(
    call_id: string,
    { module, kind, request, owner }: { module: string; kind: string; request: unknown; owner: string | null },
  ): Promise<void> {
    const { now } = this.#db.dialect
    await this.#db.transaction(async (trx) => {
      await trx
        .insertInto('module_call')
        .values({ call_id, module, kind, state: 'asked', cancelled: 0, request: this.seal(request), seen_at: now })
        .execute()
      if (owner !== null) this.#db.wake(trx, topicOf(owner))
    })
  }

  async look(call_id: string): Promise<AskedCall | null> {
    const row = await this.#db.read
      .selectFrom('module_call as c')
      .leftJoin('module_owner as o', 'o.module', 'c.module')
      .select(['c.state', 'c.progress', 'c.question', 'c.result'])
      .select(
        sql<number>`case when c.state = 'taken' and (o.owner is null or o.epoch <> c.epoch or o.lease_until <= ${this.#db.dialect.now} or not exists (select 1 from process where process.process_id = o.owner)) then 1 else 0 end`.as(
          'lost',
        ),
      )
      .where('c.call_id', '=', call_id)
      .executeTakeFirst()
    return row === undefined ? null : { ...row, lost: Number(row.lost) === 1 }
  }

  /** Says that somebody still waits. */
  async touch(call_id: string): Promise<void> {
    await this.#db.write
      .updateTable('module_call')
      .set({ seen_at: this.#db.dialect.now })
      .where('call_id', '=', call_id)
      .execute()
  }

  async cancel(call_id: string): Promise<void> {
    await this.#change(call_id, { cancelled: 1 })
  }

  async answer(call_id: string, answer: unknown): Promise<void> {
    await this.#change(call_id, { answer: this.seal(answer) })
  }

  /** Takes back what nobody has taken; false when somebody has, or had. */
  async withdraw(call_id: string): Promise<boolean> {
    const gone = await this.#db.write
      .deleteFrom('module_call')
      .where('call_id', '=', call_id)
      .where('state', '=', 'asked')
      .executeTakeFirst()
    return gone.numDeletedRows > 0n
  }

  async remove(call_id: string): Promise<void> {
    await this.#db.write.deleteFrom('module_call').where('call_id', '=', call_id).execute()
  }

  /** The calls that wait for the owner of these modules. */
  async waiting(modules: readonly string[]): Promise<string[]> {
    if (modules.length === 0) return []
    const rows = await this.#db.read
      .selectFrom('module_call')
      .select('call_id')
      .where('state', '=', 'asked')
      .where('module', 'in', modules)
      .where('seen_at', '>', this.#unseenSince(FORSAKEN_MS))
      .execute()
    return rows.map(({ call_id }) => call_id)
  }

  /** Takes a call for the owner of its module; null when it is gone, taken, or the owner is no longer that. */
  async take(call_id: string, owner: string): Promise<{ module: string; kind: string; request: unknown } | null> {
    const { now } = this.#db.dialect
    const row = await this.#db.write
      .updateTable('module_call')
      .set((c) => ({
        state: 'taken' as const,
        epoch: c.selectFrom('module_owner as o').select('o.epoch').whereRef('o.module', '=', 'module_call.module'),
      }))
      .where('call_id', '=', call_id)
      .where('state', '=', 'asked')
      // Whoever asked may have ended.
      .where('seen_at', '>', this.#unseenSince(FORSAKEN_MS))
      .where((c) =>
        c.exists(
          c
            .selectFrom('module_owner as o')
            .select('o.module')
            .whereRef('o.module', '=', 'module_call.module')
            .where('o.owner', '=', owner)
            .where('o.lease_until', '>', now),
        ),
      )
      .returning(['module', 'kind', 'request'])
      .executeTakeFirst()
    return row === undefined ? null : { ...row, request: this.open(row.request) }
  }

  async running(call_ids: readonly string[]): Promise<RunningCall[]> {
    const rows = await this.#db.read
      .selectFrom('module_call')
      .select(['call_id', 'cancelled', 'answer'])
      .select(sql<number>`case when seen_at < ${this.#unseenSince(FORSAKEN_MS)} then 1 else 0 end`.as('forsaken'))
      .where('call_id', 'in', call_ids)
      .execute()
    const found = new Map(rows.map((row) => [row.call_id, row]))
    return call_ids.map((call_id) => {
      const row = found.get(call_id)
      return {
        call_id,
        cancelled: row?.cancelled === 1,
        forsaken: row === undefined || Number(row.forsaken) === 1,
        answer: row?.answer ?? null,
      }
    })
  }

  async progress(call_id: string, progress: string): Promise<void> {
    await this.#change(call_id, { progress })
  }

  /** Null: there is none any more. */
  async question(call_id: string, question: unknown): Promise<void> {
    await this.#change(call_id, { question: question === null ? null : this.seal(question) })
  }

  async done(call_id: string, result: unknown): Promise<void> {
    await this.#change(call_id, { state: 'done', result: this.seal(result) })
  }

  /** Removes calls that nobody waits for: their askers ended without removing them. */
  async sweep(): Promise<void> {
    await this.#db.write.deleteFrom('module_call').where('seen_at', '<', this.#unseenSince(KEPT_MS)).execute()
  }

  #unseenSince(ms: number) {
    return sql<number>`${this.#db.dialect.now} - ${sql.lit(ms)}`
  }

  /** Whoever is concerned listens to the call's own id. */
  async #change(
    call_id: string,
    changes: Partial<{
      state: 'done'
      cancelled: 1
      progress: string
      question: string | null
      answer: string
      result: string
    }>,
  ): Promise<void> {
    await this.#db.transaction(async (trx) => {
      const { numUpdatedRows } = await trx
        .updateTable('module_call')
        .set(changes)
        .where('call_id', '=', call_id)
        .executeTakeFirst()
      if (numUpdatedRows > 0n) this.#db.wake(trx, call_id)
    })
  }
}

import { sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { ModuleOwnerTable } from '../../db/rows/module-tables.ts'

/** Woken when a module found or lost its owner, is wanted by another, or tells something new about itself. */
export const OWNERS_TOPIC = 'module-owners'

/** What is read all the time: everything but what the owner tells about the module. */
export type OwnerRow = Omit<ModuleOwnerTable, 'runtime'> & {
  /** Whether the lease has ended, by the database's time. */
  readonly over: boolean
  /** Whether somebody wants to run it instead, still. */
  readonly wanted: boolean
}

export interface DataKept {
  readonly data_id: string
  readonly data_size: number
}

/** Its process has said so at its end, or it is known by a start on its data folder: nobody waits for its lease. */
const ENDED = sql<boolean>`(module_owner.owner is not null and not exists (select 1 from process where process.process_id = module_owner.owner))`

/** The rows that say which process runs a module. All times are compared by the database. */
export class OwnerRows {
  readonly #db: Database
  readonly #me: string
  readonly #lease_ms: number

  constructor(db: Database, me: string, lease_ms: number) {
    this.#db = db
    this.#me = me
    this.#lease_ms = lease_ms
  }

  async read(): Promise<Map<string, OwnerRow>> {
    const { now } = this.#db.dialect
    const rows = await this.#db.read
      .selectFrom('module_owner')
      .select(['module', 'owner', 'host', 'epoch', 'lease_until', 'since', 'wanted_by', 'wanted_until'])
      .select(['runtime_number', 'data_id', 'data_at', 'data_size', 'data_problem'])
      .select([
        sql<number>`case when lease_until <= ${now} or ${ENDED} then 1 else 0 end`.as('over'),
        sql<number>`case when wanted_by is not null and wanted_until > ${now} then 1 else 0 end`.as('wanted'),
      ])
      .execute()
    return new Map(
      rows.map((row) => [row.module, { ...row, over: Number(row.over) === 1, wanted: Number(row.wanted) === 1 }]),
    )
  }

  /** What the owner last told about the module; null before it has. */
  async runtime(module: string): Promise<string | null> {
    const row = await this.#db.read
      .selectFrom('module_owner')
      .select('runtime')
      .where('module', '=', module)
      .executeTakeFirst()
    return row?.runtime ?? null
  }

  /** Extends everything that this process owns and has not lost; returns the numbers of these ownerships by module. */
  async renew(): Promise<Map<string, number>> {
    const { now } = this.#db.dialect
    const rows = await this.#db.write
      .updateTable('module_owner')
      .set({ lease_until: sql<number>`${now} + ${sql.lit(this.#lease_ms)}` })
      .where('owner', '=', this.#me)
      .where('lease_until', '>', now)
      .returning(['module', 'epoch'])
      .execute()
    return new Map(rows.map(({ module, epoch }) => [module, epoch]))
  }

  /**
   * Takes a module that nobody runs; null while somebody does, another process wants it, or it is not to run: this process
   * may know that last. As a `trial` it may.
   */
  async take(module: string, host: string, trial: boolean): Promise<OwnerRow | null> {
    const { now } = this.#db.dialect
    const until = sql<number>`${now} + ${sql.lit(this.#lease_ms)}`
    return this.#db.transaction(async (trx) => {
      const runs = await trx.selectFrom('module').select('enabled').where('module', '=', module).executeTakeFirst()
      if (!trial && runs?.enabled !== 1) return null
      const taken = await trx
        .insertInto('module_owner')
        .values({
          module,
          owner: this.#me,
          host,
          epoch: 1,
          lease_until: until,
          since: now,
          runtime_number: 0,
          wanted_until: 0,
        })
        .onConflict((conflict) =>
          conflict
            .column('module')
            .doUpdateSet({
              owner: this.#me,
              host,
              epoch: sql<number>`module_owner.epoch + 1`,
              lease_until: until,
              since: now,
              runtime: null,
              runtime_number: sql<number>`module_owner.runtime_number + 1`,
              wanted_by: null,
            })
            .where((row) =>
              row.or([row('module_owner.owner', 'is', null), row('module_owner.lease_until', '<=', now), ENDED]),
            )
            .where((row) =>
              row.or([
                row('module_owner.wanted_by', 'is', null),
                row('module_owner.wanted_by', '=', this.#me),
                row('module_owner.wanted_until', '<=', now),
              ]),
            ),
        )
        .returningAll()
        .executeTakeFirst()
      if (taken === undefined) return null
      this.#db.wake(trx, OWNERS_TOPIC)
      return { ...taken, over: false, wanted: false }
    })
  }

  /** Gives a module up. Nothing of it may be running here any more. */
  async release(module: string, epoch: number): Promise<void> {
    await this.#db.transaction(async (trx) => {
      await trx
        .updateTable('module_owner')
        .set({ owner: null, host: null, lease_until: 0, runtime: null })
        .where('module', '=', module)
        .where('owner', '=', this.#me)
        .where('epoch', '=', epoch)
        .execute()
      this.#db.wake(trx, OWNERS_TOPIC)
    })
  }

  /** Asks the owner to hand the module over to this process; holds for `ms`. */
  async want(module: string, ms: number): Promise<void> {
    const { now } = this.#db.dialect
    await this.#db.transaction(async (trx) => {
      await trx
        .updateTable('module_owner')
        .set({ wanted_by: this.#me, wanted_until: sql<number>`${now} + ${sql.lit(ms)}` })
        .where('module', '=', module)
        .execute()
      this.#db.wake(trx, OWNERS_TOPIC)
    })
  }

  /** Tells the others about the module; nothing happens once it is owned by another. */
  async tell(module: string, epoch: number, runtime: string): Promise<void> {
    await this.#db.transaction(async (trx) => {
      await trx
        .updateTable('module_owner')
        .set({ runtime, runtime_number: sql<number>`runtime_number + 1` })
        .where('module', '=', module)
        .where('owner', '=', this.#me)
        .where('epoch', '=', epoch)
        .execute()
      this.#db.wake(trx, OWNERS_TOPIC)
    })
  }

  /** Makes a copy of its data the newest. False when this process no longer owns the module: the copy does not count. */
  async keep(module: string, epoch: number, data: DataKept): Promise<boolean> {
    const { now } = this.#db.dialect
    return this.#db.transaction(async (trx) => {
      const kept = await trx
        .updateTable('module_owner')
        .set({ ...data, data_at: now, data_problem: null })
        .where('module', '=', module)
        .where('owner', '=', this.#me)
        .where('epoch', '=', epoch)
        .where('lease_until', '>', now)
        .executeTakeFirst()
      this.#db.wake(trx, OWNERS_TOPIC)
      return kept.numUpdatedRows > 0n
    })
  }

  /** Records why the newest data could not be kept. */
  async keepFailed(module: string, epoch: number, problem: string): Promise<void> {
    await this.#db.write
      .updateTable('module_owner')
      .set({ data_problem: problem })
      .where('module', '=', module)
      .where('owner', '=', this.#me)
      .where('epoch', '=', epoch)
      .execute()
  }

  /** Forgets the data of a module that nobody runs: its next owner begins with none. Returns the id of the copy. */
  async forget(module: string): Promise<string | null> {
    return this.#db.transaction(async (trx) => {
      const row = await trx.selectFrom('module_owner').select('data_id').where('module', '=', module).executeTakeFirst()
      await trx
        .updateTable('module_owner')
        .set({ data_id: '', data_at: null, data_size: null, data_problem: null })
        .where('module', '=', module)
        .execute()
      return row?.data_id || null
    })
  }
}

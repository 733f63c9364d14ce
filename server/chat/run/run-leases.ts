import type { Database } from '../../db/database.ts'
import { KNOWN_RUN } from '../../db/known-runs.ts'
import { change, query } from '../../db/statement.ts'
import { sql } from 'kysely'
import { DRIVEN } from '../history/active-runs.ts'
import { isFree, LEASE, type LeaseOwner } from './leases.ts'

/** Who drives which run: taking runs, keeping them, and finding those that have lost their driver. */
export class RunLeases {
  readonly #db: Database
  readonly #owner: LeaseOwner

  constructor(db: Database, owner: LeaseOwner) {
    this.#db = db
    this.#owner = owner
  }

  /**
   * Takes over the run if it has no driver; returns the epoch to write under, or null if it has one, or is of a kind that this version does not know. Without `waiting`, also
   * null while anybody holds the lock of the run, who may be frozen: whoever sweeps waits for nobody.
   */
  async claim(run_id: string, { waiting }: { readonly waiting: boolean }): Promise<number | null> {
    const { dialect } = this.#db
    return this.#db.transaction(async (trx) => {
      if (waiting) await dialect.serialize(trx, `run:${run_id}`)
      else if (!(await dialect.trySerialize(trx, `run:${run_id}`))) return null
      return (await CLAIM.first(trx, { run_id, ...this.#owner }))?.epoch ?? null
    })
  }

  /** Keeps these runs. Returns those that shall be stopped, and those that another process has, with its epoch. */
  async renew(run_ids: readonly string[]): Promise<{ cancelled: string[]; lost: { run_id: string; epoch: number }[] }> {
    if (run_ids.length === 0) return { cancelled: [], lost: [] }
    const { owner } = this.#owner
    const kept = await RENEW.all(this.#db.write, { owner, run_ids })
    const cancelled = kept.filter((run) => run.cancel_requested_at !== null).map(({ run_id }) => run_id)
    const own = new Set(kept.map(({ run_id }) => run_id))
    const others = run_ids.filter((run_id) => !own.has(run_id))
    if (others.length === 0) return { cancelled, lost: [] }
    // Most of them have just ended, or rest.
    return { cancelled, lost: await TAKEN.all(this.#db.read, { owner, run_ids: others }) }
  }

  /** Runs that should have a driver and have none. */
  async left(): Promise<string[]> {
    return (await LEFT.all(this.#db.read, this.#owner)).map(({ run_id }) => run_id)
  }
}

type Owner = { owner: string; alone: number }

const CLAIM = change((db, is: Owner & { run_id: string }, _anyOf, now) =>
  db
    .updateTable('run')
    .set((row) => ({
      epoch: row('epoch', '+', 1),
      lease_owner: is.owner,
      lease_expires_at: sql<number>`${now} + ${sql.lit(LEASE)}`,
    }))
    .where('run_id', '=', is.run_id)
    .where(DRIVEN)
    .where(KNOWN_RUN)
    .where(isFree(is, now))
    .returning('epoch'),
)

const RENEW = change((db, is: { owner: string; run_ids: readonly string[] }, anyOf, now) =>
  db
    .updateTable('run')
    .set({ lease_expires_at: sql<number>`${now} + ${sql.lit(LEASE)}` })
    .where('lease_owner', '=', is.owner)
    .where('run_id', 'in', anyOf(is.run_ids))
    .returning(['run_id', 'cancel_requested_at']),
)

const TAKEN = query((db, is: { owner: string; run_ids: readonly string[] }, anyOf) =>
  db
    .selectFrom('run')
    .select(['run_id', 'epoch'])
    .where('lease_owner', '!=', is.owner)
    .where('run_id', 'in', anyOf(is.run_ids)),
)

const LEFT = query((db, is: Owner, _anyOf, now) =>
  db.selectFrom('run').select('run_id').where(DRIVEN).where(KNOWN_RUN).where(isFree(is, now)).orderBy('run_id'),
)

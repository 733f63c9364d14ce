import { setImmediate as nextTurn } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import type { Database, Trx } from './database.ts'
import type { Tables } from './schema.ts'

/** Rows that one transaction of a long task writes or removes: some milliseconds' worth. */
export const STEP_ROWS = 200

/**
 * Long work in steps: runs `step` in a transaction of its own again and again until it finds nothing to do, and lets
 * others have their turn in between. Returns the rows of all steps. @throws the signal's reason between two steps
 */
export async function inSteps(
  db: Database,
  step: (trx: Trx) => Promise<number>,
  signal?: AbortSignal,
): Promise<number> {
  for (let all = 0; ;) {
    signal?.throwIfAborted()
    const rows = await db.transaction(step)
    if (rows === 0) return all
    all += rows
    await nextTurn()
  }
}

/** Deletes at most `limit` of the rows that match `where`; returns how many. `key`: columns of a unique index. */
export async function deleteSome(
  trx: Trx,
  table: keyof Tables,
  key: readonly string[],
  where: RawBuilder<unknown>,
  limit = STEP_ROWS,
): Promise<number> {
  const columns = sql.join(key.map((column) => sql.ref(column)))
  const { numAffectedRows } = await sql`delete from ${sql.table(table)} where (${columns}) in
    (select ${columns} from ${sql.table(table)} where ${where} limit ${limit})`.execute(trx)
  return Number(numAffectedRows ?? 0)
}

import { sql } from 'kysely'
import type { Database, Trx } from '../database.ts'
import type { UnusedObjectTable } from './object-tables.ts'

/** The purposes that objects are stored for, each with ids of its own. */
export type ObjectStoreName = UnusedObjectTable['store']

/**
 * Puts objects on the list of the sweep, which is the only one to remove any: call it in the transaction after which no
 * row names them. One that a row names after all is taken off the list by the sweep.
 *
 * An object that is unused stays unused: whoever stores the same bytes again stores another object. So it doesn't matter
 * when a removal arrives, not even from a process that slept in the middle of it.
 */
export async function markUnused(
  database: Database,
  trx: Trx,
  store: ObjectStoreName,
  ids: readonly string[],
): Promise<void> {
  if (ids.length === 0) return
  await trx
    .insertInto('unused_object')
    .values(ids.map((object_id) => ({ store, object_id, unused_since: sql<number>`${database.dialect.now}` })))
    .onConflict((conflict) => conflict.columns(['store', 'object_id']).doNothing())
    .execute()
}

/**
 * After a failure it may be unknown whether a row names them: the sweep finds out. If the database doesn't answer either,
 * the next look through the whole store finds them.
 */
export async function markPerhapsUnused(
  database: Database,
  store: ObjectStoreName,
  ids: readonly string[],
): Promise<void> {
  await database.transaction((trx) => markUnused(database, trx, store, ids)).catch(() => undefined)
}

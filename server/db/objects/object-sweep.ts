import { sql } from 'kysely'
import type { Database } from '../database.ts'
import { findStrays } from './find-strays.ts'
import type { ObjectSweepOptions } from './object-sweep-options.ts'

const AT_ONCE = 500

export interface ObjectSweep {
  /** Removes what has been unused long enough, some at a time; returns how many objects. */
  unused(signal?: AbortSignal): Promise<number>
  /** Once a day: looks through the store, a bounded part of it at a time, for what a crash left without a row. */
  strays(signal?: AbortSignal): Promise<void>
}

/** The only place that removes objects of a store that several processes share. Any number may sweep at once. */
export function createObjectSweep(options: ObjectSweepOptions): ObjectSweep {
  const { database, name, store, named, age_ms, isHeld } = options
  const { now } = database.dialect

  const old = sql<number>`${now} - ${age_ms}`

  /** The only question of a service at rest: nearly always there is nothing. */
  async function isAnyOld(): Promise<boolean> {
    const any = database.read.selectFrom('unused_object').select('object_id')
    return (
      (await any.where('store', '=', name).where('unused_since', '<', old).limit(1).executeTakeFirst()) !== undefined
    )
  }

  /** Those on the list for long enough, after those that a row names have been taken off it. */
  function due(): Promise<string[]> {
    return database.transaction(async (trx) => {
      const rows = await trx
        .selectFrom('unused_object')
        .select('object_id')
        .where('store', '=', name)
        .where('unused_since', '<', old)
        .orderBy('unused_since')
        .limit(AT_ONCE)
        .execute()
      const ids = rows.map(({ object_id }) => object_id)
      if (ids.length === 0) return []
      const used = await named(trx, ids)
      await forget(trx, [...used])
      return ids.filter((id) => !used.has(id))
    })
  }

  async function forget(db: Pick<Database['write'], 'deleteFrom'>, ids: readonly string[]): Promise<void> {
    if (ids.length > 0)
      await db.deleteFrom('unused_object').where('store', '=', name).where('object_id', 'in', ids).execute()
  }

  return {
    async unused(signal) {
      let removed = 0
      if (!(await isAnyOld())) return removed
      while (!(signal?.aborted ?? false) && !(await isHeld())) {
        const ids = await due()
        for (const id of ids) {
          if (signal?.aborted) return removed
          await store.remove(id)
          await forget(database.write, [id])
          removed++
        }
        if (ids.length < AT_ONCE) break
      }
      return removed
    },

    strays: (signal) => findStrays({ database, name, store, named }, signal),
  }
}

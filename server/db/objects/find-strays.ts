import { sql } from 'kysely'
import type { Database } from '../database.ts'
import type { ObjectSweepOptions } from './object-sweep-options.ts'
import type { ObjectStoreName } from './unused-objects.ts'

const HOUR = 3_600_000
/** From the beginning of one look through the store to that of the next. */
const EVERY_MS = 24 * HOUR
/** An object is stored before its row: one without a row may be about to get it, or have been uploaded for hours. */
const SAFE_AGE_MS = 24 * HOUR
/** Requests to the store in one go: at a thousand objects each. */
const PAGES = 64
const IDS_AT_ONCE = 500
const TAKEN_MS = HOUR

/**
 * Goes on with the look through a store for old objects without a row, which only a crash leaves behind, and puts them on
 * the list of unused ones. One process at a time; does nothing until a day after the last look began.
 */
export async function findStrays(
  { database, name, store, named }: Pick<ObjectSweepOptions, 'database' | 'name' | 'store' | 'named'>,
  signal?: AbortSignal,
): Promise<void> {
  const turn = await takeTurn(database, name)
  if (turn === null) return
  const before = turn.now - SAFE_AGE_MS
  if (turn.cursor === null) await store.removeUnfinished(before)
  let { cursor } = turn
  // If it fails, the next look begins at the front: a mark of another bucket is no place in this one.
  let reached: string | null = null
  try {
    for (let page = 0; ; page++) {
      if (page === PAGES || signal?.aborted) {
        reached = cursor
        break
      }
      const { objects, next } = await store.list(cursor)
      const old = objects.filter(({ written_at }) => written_at < before)
      for (let from = 0; from < old.length; from += IDS_AT_ONCE) await list(old.slice(from, from + IDS_AT_ONCE))
      cursor = next
      if (next === null) break
    }
  } finally {
    await database.write
      .updateTable('object_listing')
      .set({ cursor: reached, taken_until: 0 })
      .where('store', '=', name)
      .execute()
  }

  async function list(old: readonly { id: string; written_at: number }[]): Promise<void> {
    const used = await named(
      database.read,
      old.map(({ id }) => id),
    )
    const strays = old.filter(({ id }) => !used.has(id))
    if (strays.length === 0) return
    await database.write
      .insertInto('unused_object')
      .values(
        strays.map(({ id, written_at }) => ({ store: name, object_id: id, unused_since: Math.floor(written_at) })),
      )
      .onConflict((conflict) => conflict.columns(['store', 'object_id']).doNothing())
      .execute()
  }
}

/** The right to go on, from `cursor` or from the front; null: it is not due, or another process has it. */
function takeTurn(database: Database, name: ObjectStoreName): Promise<{ cursor: string | null; now: number } | null> {
  return database.transaction(async (trx) => {
    if (!(await database.dialect.trySerialize(trx, `object_listing:${name}`))) return null
    const { rows } = await sql<{ now: number }>`select ${database.dialect.now} as now`.execute(trx)
    const now = Number(rows[0]!.now)
    const last = await trx.selectFrom('object_listing').selectAll().where('store', '=', name).executeTakeFirst()
    if (last !== undefined && last.taken_until > now) return null
    const goesOn = last !== undefined && last.cursor !== null
    if (last !== undefined && !goesOn && last.begun_at > now - EVERY_MS) return null
    const row = { begun_at: goesOn ? last.begun_at : now, taken_until: now + TAKEN_MS }
    await trx
      .insertInto('object_listing')
      .values({ store: name, cursor: null, ...row })
      .onConflict((conflict) => conflict.column('store').doUpdateSet(row))
      .execute()
    return { cursor: goesOn ? last.cursor : null, now }
  })
}

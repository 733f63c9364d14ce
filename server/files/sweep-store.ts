import type { Database } from '../db/database.ts'
import type { ByteStore } from './byte-store.ts'

const PAGES_PER_SWEEP = 64
const IDS_PER_QUERY = 500
/** An upload writes its bytes before its row: younger bytes without a row may be about to get one. */
const SAFE_AGE_MS = 24 * 60 * 60_000

export type Sweep = (signal?: AbortSignal) => Promise<{ removed: number }>

/**
 * Creates the sweep that removes bytes without a row, which only a crash leaves behind. Each call examines a bounded
 * part of the store and the next one continues from there, so it can run often alongside everything else.
 */
export function createSweep(database: Database, store: ByteStore, now: () => number): Sweep {
  let cursor: string | null = null
  return async (signal) => {
    const before = now() - SAFE_AGE_MS
    let removed = await store.removeUnfinished(before)
    for (let page = 0; page < PAGES_PER_SWEEP && !signal?.aborted; page++) {
      const { objects, next } = await store.list(cursor)
      const old = objects.filter((object) => object.written_at < before).map((object) => object.id)
      for (let from = 0; from < old.length; from += IDS_PER_QUERY) {
        const ids = old.slice(from, from + IDS_PER_QUERY)
        const rows = await database.read.selectFrom('file').select('stored_as').where('stored_as', 'in', ids).execute()
        const known = new Set(rows.map((row) => row.stored_as))
        for (const id of ids) {
          if (known.has(id)) continue
          await store.remove(id)
          removed++
        }
      }
      cursor = next
      if (next === null) break
    }
    return { removed }
  }
}

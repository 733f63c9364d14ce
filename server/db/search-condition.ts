import { createHash } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'

/** Marks the segments of long conversations among the grams; no other gram has four characters. */
export const LONG = 'long'

/**
 * Prefixed to each gram in the index: each owner has their own, so that a search costs in proportion to what its owner
 * wrote, however much others did. Two owners may share a key, so results are also compared with the owner's id.
 */
export function ownerKey(user_id: string): string {
  return createHash('sha256').update(user_id).digest('hex').slice(0, 6)
}

/**
 * A condition on `search_index`: the owner's segments that contain all of the grams; with `single`, only those that are
 * the whole conversation.
 */
export function holdsGrams(
  database: 'sqlite' | 'postgres',
  user_id: string,
  grams: readonly string[],
  { single = false } = {},
): RawBuilder<boolean> {
  const key = ownerKey(user_id)
  if (database === 'postgres') {
    const has = sql<boolean>`string_to_array(grams, ' ') @> array[${sql.join(grams.map((gram) => key + gram))}]::text[]`
    // Not by the mark: what an index cannot answer, PostgreSQL finds out by unpacking the grams of row after row.
    return single
      ? sql<boolean>`(${has} and not exists (select from search_segment as s where s.segment_id = rowid and s.long = 1))`
      : has
  }
  // A quoted string is one token of the index whatever it contains, except the quote.
  const quote = (gram: string) => `"${(key + gram).replaceAll('"', '""')}"`
  const has = grams.map(quote).join(' AND ')
  return sql<boolean>`search_index match ${single ? `(${has}) NOT ${quote(LONG)}` : has}`
}

/**
 * The number by which the index is read newest first. SQLite reads it in this order; PostgreSQL has to fetch all
 * matches and sort: given its primary key instead, it would unpack the grams of row after row.
 */
export function indexOrder(database: 'sqlite' | 'postgres'): RawBuilder<number> {
  return database === 'sqlite' ? sql<number>`rowid` : sql<number>`rowid + 0`
}

import { createHash } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'

/** Among the grams of the segments of long conversations; no other gram has four characters. */
export const LONG = 'long'

/**
 * Stands before each gram in the index: each owner has their own, so that a search costs what its owner wrote, however much
 * others did. Two owners may share a key: results are compared with the owner's id as well.
 */
export function ownerKey(user_id: string): string {
  return createHash('sha256').update(user_id).digest('hex').slice(0, 6)
}

/** Condition on `search_index`: the owner's segments that have all of the grams, and none of `without`. */
export function holdsGrams(
  database: 'sqlite' | 'postgres',
  user_id: string,
  grams: readonly string[],
  without: readonly string[] = [],
): RawBuilder<boolean> {
  const key = ownerKey(user_id)
  if (database === 'postgres') {
    const array = (some: readonly string[]) => sql`array[${sql.join(some.map((gram) => key + gram))}]::text[]`
    const has = sql<boolean>`string_to_array(grams, ' ') @> ${array(grams)}`
    return without.length === 0 ? has : sql<boolean>`(${has} and not string_to_array(grams, ' ') && ${array(without)})`
  }
  // A quoted string is one token of the index whatever is in it, except the quote.
  const quote = (gram: string) => `"${(key + gram).replaceAll('"', '""')}"`
  const has = grams.map(quote).join(' AND ')
  return sql<boolean>`search_index match ${without.length === 0 ? has : `(${has}) NOT (${without.map(quote).join(' OR ')})`}`
}

/**
 * The number by which the index is read newest first. SQLite reads it in this order; PostgreSQL has to take all that fits
 * and sort: offered its primary key instead, it would take the grams of row after row apart.
 */
export function indexOrder(database: 'sqlite' | 'postgres'): RawBuilder<number> {
  return database === 'sqlite' ? sql<number>`rowid` : sql<number>`rowid + 0`
}

import { createHash } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { gramsOfWord } from '../kernel/text/search-grams.ts'
import type { Reader } from './reader.ts'

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

/**
 * Whether a text contains all of the words, or any of them. As far as a database can tell: of short words, findWord
 * wants the beginning of a word.
 */
export function holdsText(
  database: 'sqlite' | 'postgres',
  column: string,
  words: readonly string[],
  which: 'all' | 'any',
): RawBuilder<boolean> {
  const at = database === 'sqlite' ? sql`instr` : sql`strpos`
  const each = words.map((word) => sql<boolean>`${at}(${sql.ref(column)}, ${word}) > 0`)
  return sql<boolean>`(${sql.join(each, which === 'all' ? sql` and ` : sql` or `)})`
}

/** A conversation of several segments, and those of them that may hold a word. */
export interface LongHit {
  readonly conversation_id: string
  readonly segment_ids: readonly number[]
}

/**
 * The owner's conversations of several segments that hold the grams of a word in one of them. Everything comes from
 * indexes: SQLite, which would rather look every segment up by its number, is told to use the one that holds nothing
 * but these columns, since reading the wide rows instead took most of a search.
 */
export async function longHits(
  reader: Reader,
  database: 'sqlite' | 'postgres',
  user_id: string,
  word: string,
): Promise<LongHit[]> {
  const condition = holdsGrams(database, user_id, [LONG, ...gramsOfWord(word)])
  const select =
    database === 'sqlite'
      ? sql<{ conversation_id: string; ids: string }>`
        select s.conversation_id, group_concat(s.segment_id) as ids
        from search_index cross join search_segment as s indexed by search_segment_newest
          on s.user_id = ${user_id} and s.segment_id = search_index.rowid and s.long = 1
        where ${condition} group by s.conversation_id`
      : sql<{ conversation_id: string; ids: string }>`
        select s.conversation_id, string_agg(s.segment_id::text, ',') as ids
        from search_index join search_segment as s on s.segment_id = search_index.rowid
        where ${condition} and s.user_id = ${user_id} group by s.conversation_id`
  const { rows } = await select.execute(reader)
  return rows.map(({ conversation_id, ids }) => ({ conversation_id, segment_ids: ids.split(',').map(Number) }))
}

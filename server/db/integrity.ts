import { sql } from 'kysely'
import { gramsOf } from '../kernel/text/search-grams.ts'
import type { Database } from './database.ts'
import { holdsGrams } from './search-condition.ts'
import { readLines } from './search-segments.ts'

/**
 * The database's own findings about pages, indexes and references. Empty: all is well. A server checks its pages
 * itself.
 */
export async function databaseProblems(db: Database): Promise<string[]> {
  if (db.dialect.name === 'postgres') {
    const { rows } = await sql<{ name: string }>`select conname as name from pg_constraint
      where not convalidated and connamespace = current_schema()::regnamespace`.execute(db.read)
    return rows.map(({ name }) => `The constraint ${name} does not hold for all rows.`)
  }
  const pages = await sql<{ integrity_check: string }>`pragma integrity_check(50)`.execute(db.read)
  const references = await sql<{ table: string; rowid: number; parent: string }>`pragma foreign_key_check`.execute(
    db.read,
  )
  return [
    ...pages.rows.map((row) => row.integrity_check).filter((text) => text !== 'ok'),
    ...references.rows.map(
      ({ table, rowid, parent }) => `Row ${rowid} of ${table} refers to a ${parent} that is gone.`,
    ),
  ]
}

/**
 * Checks the search index against its segments: their number, and the grams of a sample. Returns ids of segments that
 * would not be found.
 */
export async function unsearchable(db: Database, some: number): Promise<{ segments: number; lost: number[] }> {
  const { count } = await db.read
    .selectFrom('search_segment')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  const sample = await db.read
    .selectFrom('search_segment')
    .selectAll()
    .orderBy('segment_id', 'desc')
    .limit(some)
    .execute()
  const lost: number[] = []
  for (const segment of sample) {
    const grams = new Set<string>()
    for (const { text } of readLines(segment)) gramsOf(text, grams)
    if (grams.size === 0) continue
    const found = await db.read
      .selectFrom('search_index')
      .select('rowid')
      .where('rowid', '=', segment.segment_id)
      .where(holdsGrams(db.dialect.name, segment.user_id, [...grams].slice(0, 8)))
      .executeTakeFirst()
    if (found === undefined) lost.push(segment.segment_id)
  }
  return { segments: Number(count), lost }
}

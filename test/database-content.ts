import { sql } from 'kysely'
import type { Database } from '../server/db/database.ts'

/** Signs of life, which reading may write once a minute. */
const SIGNS_OF_LIFE = ['last_seen_at', 'last_used_at']

/** Every row of every table, to compare before and after: what must change nothing leaves it equal. */
export async function databaseContent(db: Database): Promise<Record<string, string[]>> {
  const tables = await db.read.introspection.getTables()
  const content: Record<string, string[]> = {}
  for (const { name } of tables) {
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(db.read)
    content[name] = rows
      .map((row) => JSON.stringify(Object.entries(row).filter(([column]) => !SIGNS_OF_LIFE.includes(column)).sort()))
      .sort()
  }
  return content
}

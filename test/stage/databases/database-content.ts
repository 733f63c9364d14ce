import type { Database } from '../../../server/db/database.ts'
import type { Tables } from '../../../server/db/schema.ts'

/** Signs of life, which reading may write once a minute, and a process every few seconds. */
const SIGNS_OF_LIFE = ['last_seen_at', 'last_used_at', 'heartbeat_at']

/** Every row of every table, to compare before and after: what must change nothing leaves it equal. */
export async function databaseContent(db: Database): Promise<Record<string, string[]>> {
  const content: Record<string, string[]> = {}
  for (const { name } of await db.write.introspection.getTables()) {
    // What SQLite's index keeps for itself has numbers that are no JavaScript numbers, and follows from `search_segment`.
    // The parts of a divided table are read with it.
    if (/^(search_index_|event_(passing|lasting))/.test(name)) continue
    const rows: object[] = await db.read
      .selectFrom(name as keyof Tables)
      .selectAll()
      .execute()
    content[name] = rows.map(rowText).sort()
  }
  return content
}

function rowText(row: object): string {
  return JSON.stringify(Object.entries(row).filter(([column]) => !SIGNS_OF_LIFE.includes(column)))
}

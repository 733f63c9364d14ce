import type { Database } from '../../../server/db/database.ts'
import type { Tables } from '../../../server/db/schema.ts'

/** Signs of life, which reading may write once a minute, and a process every few seconds. */
const SIGNS_OF_LIFE = ['last_seen_at', 'last_used_at', 'heartbeat_at']

/** What an entry of the audit log says, before and after it is chained. */
const ENTRY = ['at', 'actor_id', 'actor', 'action', 'target', 'outcome', 'details']

/** Every row of every table, to compare before and after: what must change nothing leaves it equal. */
export async function databaseContent(db: Database): Promise<Record<string, string[]>> {
  const content: Record<string, string[]> = {}
  let unchained: string[] = []
  for (const { name } of await db.write.introspection.getTables()) {
    // What SQLite's index keeps for itself has numbers that are no JavaScript numbers, and follows from `search_segment`.
    // The parts of a divided table are read with it.
    // Heads of the audit log are signed in the background.
    if (/^(search_index_|event_(passing|lasting)|audit_head)/.test(name)) continue
    if (name === 'audit') continue
    const rows: object[] = await db.read
      .selectFrom(name as keyof Tables)
      .selectAll()
      .execute()
    if (name === 'audit_unchained') unchained = rows.map(entryText)
    else content[name] = rows.map(rowText).sort()
  }
  // Entries are chained a moment after they are written: what is chained between the two statements is read twice, not missed.
  const chained = await db.read.selectFrom('audit').selectAll().execute()
  content.audit = [...new Set([...unchained, ...chained.map(entryText)])].sort()
  return content
}

function rowText(row: object): string {
  return JSON.stringify(Object.entries(row).filter(([column]) => !SIGNS_OF_LIFE.includes(column)))
}

function entryText(row: object): string {
  return JSON.stringify(Object.entries(row).filter(([column]) => ENTRY.includes(column)))
}

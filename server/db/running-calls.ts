import { sql } from 'kysely'
import type { Database } from './database.ts'

/** Whether a row says that a call of this module runs, in any process, and the lease of its run is valid. */
export async function isCalled(db: Database, name: string): Promise<boolean> {
  const row = await db.read
    .selectFrom('run')
    .innerJoin('tool_call', 'tool_call.run_id', 'run.run_id')
    .select('tool_call.tool_call_id')
    // The few that are under way have an index of their own.
    .where('run.status', 'in', ['thinking', 'acting'])
    .where('run.lease_expires_at', '>=', sql<number>`${db.dialect.now}`)
    .where('tool_call.module', '=', name)
    .where('tool_call.status', '=', 'running')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

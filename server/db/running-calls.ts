import { sql } from 'kysely'
import type { Database, Reader } from './database.ts'

/**
 * The key under which a module is changed. Whatever starts a call of it shares the key first, in the same transaction: then
 * either the change sees the call, or the call is judged by what the change has left.
 */
export const moduleKey = (name: string): string => `module:${name}`

/** Whether a row says that a call of this module runs, in any process, and the lease of its run is valid. */
export async function isCalled({ dialect }: Pick<Database, 'dialect'>, db: Reader, name: string): Promise<boolean> {
  const row = await db
    .selectFrom('run')
    .innerJoin('tool_call', 'tool_call.run_id', 'run.run_id')
    .select('tool_call.tool_call_id')
    // The few that are under way have an index of their own.
    .where('run.status', 'in', ['thinking', 'acting'])
    .where('run.lease_expires_at', '>=', sql<number>`${dialect.now}`)
    .where('tool_call.module', '=', name)
    .where('tool_call.status', '=', 'running')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

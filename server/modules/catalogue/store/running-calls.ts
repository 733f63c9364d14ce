import { sql } from 'kysely'
import { AppError } from '../../../kernel/app-error.ts'
import { say } from '../../../kernel/sentence.ts'
import type { CatalogueContext } from '../catalogue-context.ts'

/**
 * Refuses while a call is running in this process or another: it would be lost, and what it did would be unknown. A call
 * whose run nobody drives any more is not running, whatever its row says until the run is taken over.
 * @throws {AppError} module_busy
 */
export async function refuseRunningCall(
  { db, host }: Pick<CatalogueContext, 'db' | 'host'>,
  name: string,
): Promise<void> {
  if (host.busy(name) || (await isCalledElsewhere(db, name))) {
    throw new AppError('module_busy', say`A call is running in the module ${name}. Wait for its end, or stop it.`)
  }
}

async function isCalledElsewhere(db: CatalogueContext['db'], name: string): Promise<boolean> {
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

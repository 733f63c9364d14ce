import type { Caller } from '../../../contract/route.ts'
import type { RunContext } from './run-context.ts'

/** Seconds until the quota of a run's engine is renewed. */
export async function quotaRenewed(
  { db, ports }: Pick<RunContext, 'db' | 'ports'>,
  caller: Caller,
  run_id: string,
): Promise<number | undefined> {
  const row = await db.read
    .selectFrom('run')
    .select(['engine_id', 'model'])
    .where('run_id', '=', run_id)
    .executeTakeFirstOrThrow()
  const choice = row.engine_id === null || row.model === null ? null : { engine_id: row.engine_id, model: row.model }
  const { engine_id } = ports.model.choose('', { role_id: caller.role_id, choice })
  return (await ports.usage.usedUp(db.read, caller, engine_id ?? ''))?.retryAfter
}

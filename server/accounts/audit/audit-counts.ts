import type { Caller } from '../../../contract/route.ts'
import type { AuditLog } from '../../chat/ports/audit-log.ts'
import type { Database, Trx } from '../../db/database.ts'
import { change } from '../../db/statement.ts'
import { iso } from '../../kernel/time.ts'
import { CHAIN_LOCK } from './chain.ts'

const HOUR = 3_600_000
/** Entries written in one transaction. */
const AT_ONCE = 50

/** Something that happened too often for an entry each. */
export interface AuditCount {
  readonly actor: Pick<Caller, 'user_id' | 'username'>
  readonly action: string
  readonly target: string
  readonly failed: boolean
}

const COUNT = change(
  (db, is: { hour: number; actor_id: string; actor: string; action: string; target: string; failed: number }) =>
    db
      .insertInto('audit_count')
      .values({
        hour: is.hour,
        actor_id: is.actor_id,
        actor: is.actor,
        action: is.action,
        target: is.target,
        times: 1,
        failed: is.failed,
      })
      .onConflict((conflict) =>
        conflict.columns(['hour', 'actor_id', 'action', 'target']).doUpdateSet((row) => ({
          times: row('audit_count.times', '+', row.lit(1)),
          failed: row('audit_count.failed', '+', row.ref('excluded.failed')),
        })),
      ),
)

/** Counts it in its hour: one statement, whether it is the first or not. */
export async function countOnce(trx: Trx, { actor, action, target, failed }: AuditCount, now: number): Promise<void> {
  const { user_id: actor_id, username } = actor
  await COUNT.run(trx, { hour: hourOf(now), actor_id, actor: username, action, target, failed: failed ? 1 : 0 })
}

/** Makes an entry of each count whose hour is over. However many processes do so, each count becomes one entry. */
export async function entriesOfCounts(
  db: Database,
  audit: Pick<AuditLog, 'record'>,
  now: number,
  signal?: AbortSignal,
): Promise<void> {
  const over = hourOf(now)
  for (let taken = AT_ONCE; taken === AT_ONCE && !signal?.aborted;) {
    taken = await db.transaction(async (trx) => {
      // Two processes would otherwise both see a count that one of them removes.
      await db.dialect.serialize(trx, CHAIN_LOCK)
      const rows = await trx
        .selectFrom('audit_count')
        .selectAll()
        .where('hour', '<', over)
        .orderBy('hour')
        .orderBy('actor_id')
        .orderBy('target')
        .limit(AT_ONCE)
        .execute()
      for (const { hour, actor_id, actor, action, target, times, failed } of rows) {
        await trx
          .deleteFrom('audit_count')
          .where('hour', '=', hour)
          .where('actor_id', '=', actor_id)
          .where('action', '=', action)
          .where('target', '=', target)
          .execute()
        await audit.record(trx, {
          actor: { user_id: actor_id, username: actor },
          action,
          target,
          outcome: failed === times ? 'failed' : 'ok',
          details: { tool: target, host: 'local', times, failed, from: iso(hour), to: iso(hour + HOUR) },
        })
      }
      return rows.length
    })
  }
}

function hourOf(time: number): number {
  return time - (time % HOUR)
}

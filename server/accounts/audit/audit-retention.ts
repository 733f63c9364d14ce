import type { Database, Reader } from '../../db/database.ts'
import { STEP_ROWS } from '../../db/steps.ts'
import { CHAIN_LOCK } from './chain.ts'

/** Where the chain begins once its first entries were removed. */
const START = 'audit.start'

export interface ChainStart {
  /** The last entry that was removed, and its hash: the next one names it as its previous hash. */
  readonly audit_id: number
  readonly hash: string
}

/** Null while no entry was removed. */
export async function chainStart(db: Reader): Promise<ChainStart | null> {
  const row = await db.selectFrom('setting').select('value').where('key', '=', START).executeTakeFirst()
  return row === undefined ? null : (JSON.parse(row.value) as ChainStart)
}

/**
 * Removes the entries before the first one that is not older than `oldest`, some at a time. What is
 * left is a chain that begins at the hash of the last one removed.
 */
export async function removeOldEntries(
  db: Database,
  { oldest, now }: { oldest: number; now: number },
  signal?: AbortSignal,
): Promise<void> {
  for (let removed = STEP_ROWS; removed === STEP_ROWS && !signal?.aborted;) {
    removed = await db.transaction(async (trx) => {
      await db.dialect.serialize(trx, CHAIN_LOCK)
      const rows = await trx
        .selectFrom('audit')
        .select(['audit_id', 'at', 'hash'])
        .orderBy('audit_id')
        .limit(STEP_ROWS)
        .execute()
      const kept = rows.findIndex(({ at }) => at >= oldest)
      // The newest entry stays: the next one is chained to it.
      const newest = rows.length < STEP_ROWS ? rows.length - 1 : rows.length
      const old = rows.slice(0, kept < 0 ? newest : kept)
      const last = old.at(-1)
      if (last === undefined) return 0
      await trx.deleteFrom('audit').where('audit_id', '<=', last.audit_id).execute()
      const value = JSON.stringify({ audit_id: last.audit_id, hash: last.hash } satisfies ChainStart)
      await trx
        .insertInto('setting')
        .values({ key: START, value, updated_at: now })
        .onConflict((conflict) => conflict.column('key').doUpdateSet({ value, updated_at: now }))
        .execute()
      return old.length
    })
  }
}

import type { Database } from '../db/database.ts'

const KEEP = 30 * 24 * 3_600_000

/** Removes conversations that were in the bin for 30 days, with everything that belonged to them. */
export async function purgeBin(
  db: Database,
  purgeFiles: (runs: readonly string[]) => Promise<void>,
  now = Date.now(),
): Promise<void> {
  const due = await db.read
    .selectFrom('conversation')
    .select('conversation_id')
    .where('deleted_at', 'is not', null)
    .where('deleted_at', '<', now - KEEP)
    .limit(50)
    .execute()
  for (const { conversation_id } of due) {
    const runs = await db.read
      .selectFrom('run')
      .select('run_id')
      .where('conversation_id', '=', conversation_id)
      .execute()
    await purgeFiles(runs.map((run) => run.run_id))
    await db.transaction(async (trx) => {
      await trx.deleteFrom('event').where('conversation_id', '=', conversation_id).execute()
      await trx.deleteFrom('approval').where('conversation_id', '=', conversation_id).execute()
      // Messages, parts, runs, steps, calls and grants go with it.
      await trx.deleteFrom('conversation').where('conversation_id', '=', conversation_id).execute()
    })
  }
}

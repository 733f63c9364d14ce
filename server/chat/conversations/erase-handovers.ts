import type { Database } from '../../db/database.ts'
import type { Activity } from '../history/activity.ts'

/** Removed in one transaction, each with its event. */
const BATCH = 20

/**
 * Removes every offer of a person who is being deleted, and tells the others of them. Copies stay with their owners, and
 * originals stay as they are: who has taken them over is then not known any more.
 */
export async function eraseHandovers(db: Database, activity: Activity, user_id: string): Promise<void> {
  for (;;) {
    const rows = await db.read
      .selectFrom('handover')
      .select(['handover_id', 'conversation_id', 'from_user', 'to_user', 'status'])
      .where((row) => row.or([row('from_user', '=', user_id), row('to_user', '=', user_id)]))
      .limit(BATCH)
      .execute()
    if (rows.length === 0) return
    for (const [other, theirs] of Map.groupBy(rows, (row) => (row.from_user === user_id ? row.to_user : row.from_user)))
      await db.transaction(async (trx) => {
        const ids = theirs.map(({ handover_id }) => handover_id)
        await trx.deleteFrom('handover').where('handover_id', 'in', ids).execute()
        const changed = theirs.flatMap(({ handover_id, conversation_id, from_user, status }) => [
          { type: 'handover.changed' as const, data: { handover_id } },
          // Its page names who has taken it over.
          ...(from_user === other && status === 'accepted'
            ? [{ type: 'conversation.updated' as const, conversation_id, data: { handed_over: true } }]
            : []),
        ])
        await activity.append(trx, other, changed)
      })
  }
}

import type { Kysely } from 'kysely'

/**
 * When a report that is owed is tried next: whoever moves it on makes it; null where a process of the version before owes it.
 * And when the same reason came last: an entry is kept for as long as its reason comes again.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['report_next_at', 'repeated_at'])
    await db.schema.alterTable('routine_fire').addColumn(column, 'bigint').execute()
}

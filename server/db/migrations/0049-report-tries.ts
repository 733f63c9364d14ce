import type { Kysely } from 'kysely'

/** When a report that is owed is tried next: whoever moves it on makes it. Null where a process of the version before owes it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('routine_fire').addColumn('report_next_at', 'bigint').execute()
}

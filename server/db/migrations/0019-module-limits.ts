import type { Kysely } from 'kysely'

/** A module may have a memory limit of its own. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('module').addColumn('memory_mib', 'integer').execute()
}

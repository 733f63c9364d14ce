import type { Kysely } from 'kysely'

/** From which level on a module is to tell what it does; null: as the module decides. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('module').addColumn('log_level', 'text').execute()
}

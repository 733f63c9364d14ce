import type { Kysely } from 'kysely'

/** Arguments and names of environment variables that an administrator adds to the launch of a module, as JSON. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('module').addColumn('extras', 'text').execute()
}

import type { Kysely } from 'kysely'

/** How a file is read as a table, if its owner has chosen it: JSON; null is automatic detection. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('file').addColumn('reading', 'text').execute()
}

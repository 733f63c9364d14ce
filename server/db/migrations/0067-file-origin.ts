import type { Kysely } from 'kysely'

/** Where a file is from that was read from a module; null: its owner or a run made it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('file').addColumn('origin', 'text').execute()
}

import type { Kysely } from 'kysely'

/**
 * The modules whose tools a conversation may use, and a run of it: JSON, null for all. What a conversation has found of tools
 * that are too many for its engine: JSON, null while it had to find none.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['conversation', 'run'])
    await db.schema.alterTable(table).addColumn('tool_modules', 'text').execute()
  await db.schema.alterTable('conversation').addColumn('loaded_tools', 'text').execute()
}

import type { Kysely } from 'kysely'

/** How many calls the MCP clients of a person may begin; null: no limit. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['day_calls', 'month_calls'])
    await db.schema.alterTable('quota').addColumn(column, 'bigint').execute()
}

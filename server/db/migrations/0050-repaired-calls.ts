import type { Kysely } from 'kysely'

/** What was mended of a call before it was checked, shown with it and on its card. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['tool_call', 'approval'])
    await db.schema.alterTable(table).addColumn('repaired', 'text').execute()
}

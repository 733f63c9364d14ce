import type { Kysely } from 'kysely'

/** Which argument of a call says what it is about, as its tool named it at that time. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ['tool_call', 'approval'])
    await db.schema.alterTable(table).addColumn('main_argument', 'text').execute()
}

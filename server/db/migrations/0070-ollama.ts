import type { Kysely } from 'kysely'

/** Whether an engine is asked on Ollama's own wire. Apart from `request`, of which older processes know every field. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('engine')
    .addColumn('ollama', 'integer', (c) => c.notNull().defaultTo(0))
    .execute()
}

import type { Kysely } from 'kysely'

/** How requests to an engine are made, and which other engine answers where it does not. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('engine')
    .addColumn('request', 'text', (c) => c.notNull().defaultTo('{}'))
    .execute()
  await db.schema.alterTable('engine').addColumn('fallback_id', 'text').execute()
}

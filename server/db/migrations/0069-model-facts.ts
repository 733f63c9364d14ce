import type { Kysely } from 'kysely'

/** What is known of the models of an engine, by where it is known from. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('model_fact')
    .addColumn('engine_id', 'text', (c) => c.notNull())
    .addColumn('model', 'text', (c) => c.notNull())
    .addColumn('fact', 'text', (c) => c.notNull())
    .addColumn('source', 'text', (c) => c.notNull())
    .addColumn('place', 'text', (c) => c.notNull())
    .addColumn('value', 'bigint', (c) => c.notNull())
    .addColumn('found_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('model_fact_pk', ['engine_id', 'model', 'fact', 'source'])
    .execute()
}

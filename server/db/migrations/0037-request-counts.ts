import type { Kysely } from 'kysely'

/** How many requests came to the routes whose limit holds for all processes together; of this minute and the one before. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('request_count')
    .addColumn('minute', 'bigint', (c) => c.notNull())
    .addColumn('limit_key', 'text', (c) => c.notNull())
    .addColumn('requests', 'integer', (c) => c.notNull())
    .addPrimaryKeyConstraint('request_count_pk', ['minute', 'limit_key'])
    .execute()
}

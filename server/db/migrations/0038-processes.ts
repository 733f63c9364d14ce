import type { Kysely } from 'kysely'

/**
 * The processes that work on this database, each known by an id of its own start, and counters that tell them what has
 * changed, whether or not a wake-up has reached them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('process')
    .addColumn('process_id', 'text', (c) => c.primaryKey())
    .addColumn('host', 'text', (c) => c.notNull())
    .addColumn('version', 'text', (c) => c.notNull())
    .addColumn('address', 'text')
    .addColumn('started_at', 'bigint', (c) => c.notNull())
    .addColumn('heartbeat_at', 'bigint', (c) => c.notNull())
    .addColumn('stopping_at', 'bigint')
    .execute()
  await db.schema
    .createTable('revision')
    .addColumn('topic', 'text', (c) => c.primaryKey())
    .addColumn('value', 'bigint', (c) => c.notNull())
    .execute()
}

import type { Kysely } from 'kysely'

/** Modules that are being fetched and packed, and how that ended. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('module_addition')
    .addColumn('addition_id', 'text', (c) => c.primaryKey())
    .addColumn('source', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('step', 'text', (c) => c.notNull())
    .addColumn('done', 'integer', (c) => c.notNull())
    .addColumn('total', 'integer', (c) => c.notNull())
    .addColumn('module', 'text')
    .addColumn('problem', 'text')
    .addColumn('started_at', 'bigint', (c) => c.notNull())
    .addColumn('seen_at', 'bigint', (c) => c.notNull())
    .execute()
}

import { type Kysely, sql } from 'kysely'

/**
 * Stored objects are removed by the sweep alone, from a list of what no row names any more; packages of modules have
 * an id of their own for each time they are stored; backups of removed modules are rows.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('unused_object')
    .addColumn('store', 'text', (c) => c.notNull())
    .addColumn('object_id', 'text', (c) => c.notNull())
    .addColumn('unused_since', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('unused_object_pk', ['store', 'object_id'])
    .addCheckConstraint('unused_object_store', sql`store in ('files', 'packages')`)
    .execute()
  await db.schema.createIndex('unused_object_age').on('unused_object').columns(['store', 'unused_since']).execute()
  await db.schema
    .createTable('object_listing')
    .addColumn('store', 'text', (c) => c.primaryKey())
    .addColumn('begun_at', 'bigint', (c) => c.notNull())
    .addColumn('cursor', 'text')
    .addColumn('taken_until', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema.alterTable('module_version').addColumn('stored_as', 'text').execute()
  await db.schema
    .createTable('module_backup')
    .addColumn('backup', 'text', (c) => c.primaryKey())
    .addColumn('module', 'text', (c) => c.notNull())
    .addColumn('stored_as', 'text', (c) => c.notNull())
    .addColumn('size', 'bigint', (c) => c.notNull())
    .addColumn('removed_at', 'bigint', (c) => c.notNull())
    .addColumn('label', 'text', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('module_backup_stored').on('module_backup').column('stored_as').execute()
}

import type { Kysely } from 'kysely'

/** What people are told besides cards: who has read it, which kinds they want by mail; and codes sent to a person. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('notice')
    .addColumn('notice_id', 'text', (c) => c.primaryKey())
    .addColumn('event', 'text', (c) => c.notNull())
    .addColumn('ref_id', 'text', (c) => c.notNull())
    .addColumn('path', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('detail', 'text', (c) => c.notNull())
    .addColumn('by_user', 'text', (c) => c.references('user.user_id').onDelete('cascade'))
    .addColumn('dedupe_key', 'text', (c) => c.notNull().unique())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('notice_by').on('notice').columns(['by_user']).execute()
  await db.schema.createIndex('notice_created').on('notice').columns(['created_at']).execute()

  await db.schema
    .createTable('notice_reader')
    .addColumn('user_id', 'text', (c) => c.notNull().references('user.user_id').onDelete('cascade'))
    .addColumn('notice_id', 'text', (c) => c.notNull().references('notice.notice_id').onDelete('cascade'))
    .addColumn('read_at', 'bigint')
    .addPrimaryKeyConstraint('notice_reader_key', ['user_id', 'notice_id'])
    .execute()
  await db.schema.createIndex('notice_reader_notice').on('notice_reader').columns(['notice_id']).execute()

  for (const kind of ['routines', 'reports', 'reviews', 'watches'])
    await db.schema
      .alterTable('notice_setting')
      .addColumn(kind, 'integer', (c) => c.notNull().defaultTo(1))
      .execute()

  await db.schema
    .createTable('code_count')
    .addColumn('user_id', 'text', (c) => c.primaryKey().references('user.user_id').onDelete('cascade'))
    .addColumn('since', 'bigint', (c) => c.notNull())
    .addColumn('codes', 'integer', (c) => c.notNull())
    .execute()
}

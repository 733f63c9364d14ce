import { type Kysely, sql } from 'kysely'

/** A role may be taken for a while, if others agree; one open request or elevation a user. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('role').addColumn('elevatable', 'text').execute()
  await db.schema
    .createTable('elevation')
    .addColumn('elevation_id', 'text', (c) => c.primaryKey())
    .addColumn('user_id', 'text', (c) => c.notNull().references('user.user_id').onDelete('cascade'))
    .addColumn('role_id', 'text', (c) => c.notNull().references('role.role_id').onDelete('cascade'))
    .addColumn('role', 'text', (c) => c.notNull())
    .addColumn('own_role', 'text', (c) => c.notNull())
    .addColumn('needs', 'text', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('reason', 'text', (c) => c.notNull())
    .addColumn('minutes', 'integer', (c) => c.notNull())
    .addColumn('requested_at', 'bigint', (c) => c.notNull())
    .addColumn('started_at', 'bigint')
    .addColumn('ends_at', 'bigint', (c) => c.notNull())
    .addColumn('closed_at', 'bigint')
    .addColumn('closed_by', 'text')
    .execute()
  await sql`create unique index elevation_open on elevation (user_id) where closed_at is null`.execute(db)
  await db.schema.createIndex('elevation_user').on('elevation').columns(['user_id', 'elevation_id']).execute()
  await db.schema.createIndex('elevation_role').on('elevation').column('role_id').execute()
}

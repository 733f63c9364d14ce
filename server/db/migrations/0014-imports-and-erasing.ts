import { sql, type Kysely } from 'kysely'

/**
 * Imports are staged, one per user, and permanently marked; large work is done in steps, so a user can be deleted but
 * not yet gone.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('conversation_import')
    .addColumn('user_id', 'text', (c) => c.primaryKey().references('user.user_id').onDelete('cascade'))
    .addColumn('conversation_id', 'text', (c) =>
      c.notNull().unique().references('conversation.conversation_id').onDelete('cascade'),
    )
    .addColumn('percent', 'integer', (c) => c.notNull())
    .addColumn('started_at', 'bigint', (c) => c.notNull())
    .addColumn('lease_owner', 'text', (c) => c.notNull())
    .addColumn('lease_expires_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema.alterTable('conversation').addColumn('imported_at', 'bigint').execute()
  await db.schema
    .alterTable('message')
    .addColumn('imported', 'integer', (c) => c.notNull().defaultTo(0))
    .execute()
  await db.schema.alterTable('user').addColumn('deleted_at', 'bigint').execute()
  await sql`create index user_deleted on "user" (deleted_at) where deleted_at is not null`.execute(db)
  // Imports from before they were marked: an answer without a run of a chat session, and the message it answers.
  await sql`update message set imported = 1 where role = 'assistant'
    and (run_id is null or run_id in (select run_id from run where session_id = ''))`.execute(db)
  await sql`update message set imported = 1 where role = 'user'
    and message_id in (select parent_id from message where imported = 1)`.execute(db)
  await sql`update conversation set imported_at = created_at
    where conversation_id in (select conversation_id from message where imported = 1)`.execute(db)
}

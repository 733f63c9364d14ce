import type { Kysely } from 'kysely'

/** Messages may be queued while a run is active; their conversation counts them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('queued_message')
    .addColumn('queued_id', 'text', (c) => c.primaryKey())
    .addColumn('conversation_id', 'text', (c) =>
      c.notNull().references('conversation.conversation_id').onDelete('cascade'),
    )
    .addColumn('user_id', 'text', (c) => c.notNull().references('user.user_id').onDelete('cascade'))
    .addColumn('session_id', 'text', (c) => c.notNull())
    .addColumn('written_by', 'text', (c) => c.notNull())
    .addColumn('position', 'integer', (c) => c.notNull())
    .addColumn('version', 'integer', (c) => c.notNull())
    .addColumn('message', 'text', (c) => c.notNull())
    .addColumn('attachments', 'text', (c) => c.notNull())
    .addColumn('held', 'integer', (c) => c.notNull())
    .addColumn('problem_code', 'text')
    .addColumn('problem_detail', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema
    .createIndex('queued_message_conversation')
    .on('queued_message')
    .columns(['conversation_id', 'position'])
    .unique()
    .execute()
  await db.schema.createIndex('queued_message_user').on('queued_message').columns(['user_id']).execute()
  await db.schema
    .alterTable('conversation')
    .addColumn('queued', 'integer', (c) => c.notNull().defaultTo(0))
    .execute()
}

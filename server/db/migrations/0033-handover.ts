import { type Kysely, sql } from 'kysely'

/** A conversation may be offered to another person, who gets a copy; from then on the original is only read. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('handover')
    .addColumn('handover_id', 'text', (c) => c.primaryKey())
    .addColumn('conversation_id', 'text', (c) =>
      c.notNull().references('conversation.conversation_id').onDelete('cascade'),
    )
    .addColumn('from_user', 'text', (c) => c.notNull().references('user.user_id').onDelete('cascade'))
    .addColumn('to_user', 'text', (c) => c.notNull().references('user.user_id').onDelete('cascade'))
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('note', 'text')
    .addColumn('to_name', 'text')
    .addColumn('copy_id', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .addColumn('closed_at', 'bigint')
    .execute()
  await sql`create unique index handover_open on handover (conversation_id) where status = 'offered'`.execute(db)
  await db.schema.createIndex('handover_conversation').on('handover').columns(['conversation_id']).execute()
  await db.schema.createIndex('handover_from').on('handover').columns(['from_user', 'handover_id']).execute()
  await db.schema.createIndex('handover_to').on('handover').columns(['to_user', 'handover_id']).execute()
  await db.schema.alterTable('conversation').addColumn('handed_over_at', 'bigint').execute()
}

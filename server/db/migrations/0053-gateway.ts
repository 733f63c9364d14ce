import { type Kysely, sql } from 'kysely'

/** Calls that MCP clients have made through the gateway, and lists that conversations of such calls are not in. */
export async function up(db: Kysely<unknown>): Promise<void> {
  // Without a reference to the run, which is deleted earlier: calls of a month are counted.
  await db.schema
    .createTable('gateway_call')
    .addColumn('run_id', 'text', (c) => c.primaryKey())
    .addColumn('user_id', 'text', (c) => c.notNull().references('user.user_id').onDelete('cascade'))
    .addColumn('client_id', 'text', (c) => c.notNull())
    .addColumn('request_hash', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('gateway_call_client').on('gateway_call').columns(['client_id', 'created_at']).execute()
  await db.schema.createIndex('gateway_call_user').on('gateway_call').columns(['user_id', 'created_at']).execute()
  await db.schema.createIndex('gateway_call_created').on('gateway_call').columns(['created_at']).execute()
  // There may be thousands a day.
  await sql`create index conversation_listed on conversation (user_id, updated_at desc, conversation_id desc)
    where deleted_at is null and kind <> 'gateway'`.execute(db)
  await sql`create index conversation_gateway on conversation (updated_at) where kind = 'gateway'`.execute(db)
}

import type { Kysely } from 'kysely'

/** Clients that people let in by OAuth, and what they hold. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('access_token').addColumn('client_id', 'text').execute()
  await db.schema.createIndex('access_token_client').on('access_token').columns(['client_id']).execute()
  await db.schema
    .createTable('oauth_record')
    .addColumn('record_id', 'text', (c) => c.primaryKey())
    .addColumn('model', 'text', (c) => c.notNull())
    .addColumn('grant_id', 'text', (c) => c.notNull().references('access_token.token_id').onDelete('cascade'))
    .addColumn('payload_sealed', 'text', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .addColumn('consumed_at', 'bigint')
    .execute()
  await db.schema.createIndex('oauth_record_grant').on('oauth_record').columns(['grant_id']).execute()
  await db.schema.createIndex('oauth_record_expires').on('oauth_record').columns(['expires_at']).execute()
  await db.schema
    .createTable('oauth_client')
    .addColumn('client_id', 'text', (c) => c.primaryKey())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('redirect_uris', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema
    .createTable('oauth_host')
    .addColumn('host', 'text', (c) => c.primaryKey())
    .execute()
}

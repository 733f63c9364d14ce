import type { Kysely } from 'kysely'

/**
 * Links with which users choose a password; roles count their changes; the audit log is indexed by outcome and time.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('invitation')
    .addColumn('user_id', 'text', (c) => c.primaryKey().references('user.user_id').onDelete('cascade'))
    .addColumn('token_hash', 'text', (c) => c.notNull().unique())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('invitation_expiry').on('invitation').columns(['expires_at']).execute()
  await db.schema
    .alterTable('role')
    .addColumn('revision', 'integer', (c) => c.notNull().defaultTo(0))
    .execute()
  await db.schema.createIndex('audit_outcome').on('audit').columns(['outcome', 'audit_id']).execute()
  await db.schema.createIndex('audit_at').on('audit').columns(['at']).execute()
}

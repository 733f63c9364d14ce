import type { Kysely } from 'kysely'

/** The keys that sign receipts; the head of the audit log, signed once a day; and whether each place has it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('signing_key')
    .addColumn('key_id', 'text', (c) => c.primaryKey())
    .addColumn('public_key', 'text', (c) => c.notNull())
    .addColumn('sealed_key', 'text')
    .addColumn('in_use', 'integer', (c) => c.unique())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('retired_at', 'bigint')
    .execute()
  await db.schema
    .createTable('audit_head')
    .addColumn('day', 'text', (c) => c.primaryKey())
    .addColumn('audit_id', 'bigint', (c) => c.notNull())
    .addColumn('hash', 'text', (c) => c.notNull())
    .addColumn('key_id', 'text', (c) => c.notNull())
    .addColumn('signed_at', 'bigint', (c) => c.notNull())
    .addColumn('envelope', 'text', (c) => c.notNull())
    .execute()
  await db.schema
    .createTable('audit_head_delivery')
    .addColumn('day', 'text', (c) => c.notNull().references('audit_head.day').onDelete('cascade'))
    .addColumn('place', 'text', (c) => c.notNull())
    .addColumn('attempts', 'integer', (c) => c.notNull())
    .addColumn('next_at', 'bigint', (c) => c.notNull())
    .addColumn('sent_at', 'bigint')
    .addColumn('problem', 'text')
    .addPrimaryKeyConstraint('audit_head_delivery_pk', ['day', 'place'])
    .execute()
}

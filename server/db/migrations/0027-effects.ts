import type { Kysely } from 'kysely'

/** Cards have a preview that their approval is bound to, calls a verification, and what they changed can be taken back. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('approval').addColumn('preview', 'text').execute()
  await db.schema
    .alterTable('approval')
    .addColumn('preview_hash', 'text', (c) => c.notNull().defaultTo(''))
    .execute()
  await db.schema.alterTable('tool_call').addColumn('verified', 'text').execute()
  await db.schema
    .createTable('change')
    .addColumn('change_id', 'text', (c) => c.primaryKey())
    .addColumn('user_id', 'text', (c) => c.notNull().references('user.user_id').onDelete('cascade'))
    .addColumn('conversation_id', 'text', (c) => c.notNull())
    .addColumn('tool_call_id', 'text', (c) => c.notNull())
    .addColumn('host', 'text', (c) => c.notNull())
    .addColumn('module', 'text', (c) => c.notNull())
    .addColumn('tool', 'text', (c) => c.notNull())
    .addColumn('title', 'text', (c) => c.notNull())
    .addColumn('target', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('before_hash', 'text')
    .addColumn('after_hash', 'text')
    .addColumn('before', 'text')
    .addColumn('diff', 'text')
    .addColumn('undo_tool', 'text')
    .addColumn('undoes', 'text')
    .addColumn('undone_by', 'text')
    .addColumn('at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('change_user').on('change').columns(['user_id', 'change_id']).execute()
  await db.schema.createIndex('change_target').on('change').columns(['host', 'target', 'change_id']).execute()
}

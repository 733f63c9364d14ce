import type { Kysely } from 'kysely'

/** Quick commands and their folders. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('command_folder')
    .addColumn('folder_id', 'text', (c) => c.primaryKey())
    .addColumn('user_id', 'text', (c) => c.notNull().references('user.user_id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('name_folded', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addUniqueConstraint('command_folder_name', ['user_id', 'name_folded'])
    .execute()
  await db.schema
    .createTable('command')
    .addColumn('command_id', 'text', (c) => c.primaryKey())
    .addColumn('user_id', 'text', (c) => c.notNull().references('user.user_id').onDelete('cascade'))
    .addColumn('folder_id', 'text', (c) => c.references('command_folder.folder_id').onDelete('set null'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('name_folded', 'text', (c) => c.notNull())
    .addColumn('name_sort', 'text', (c) => c.notNull())
    .addColumn('prompt', 'text', (c) => c.notNull())
    .addColumn('prompt_folded', 'text', (c) => c.notNull())
    .addColumn('run_mode', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('command_user').on('command').columns(['user_id', 'name_sort', 'command_id']).execute()
  await db.schema.createIndex('command_folder_commands').on('command').column('folder_id').execute()
}

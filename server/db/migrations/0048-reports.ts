import type { Kysely } from 'kysely'

/** The report of a run: files of its owner. It is forgotten with its file, and then there can be another one. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('report')
    .addColumn('run_id', 'text', (c) => c.primaryKey().references('run.run_id').onDelete('cascade'))
    .addColumn('user_id', 'text', (c) => c.notNull().references('user.user_id').onDelete('cascade'))
    .addColumn('file_id', 'text', (c) => c.notNull().references('file.file_id').onDelete('cascade'))
    .addColumn('table_file_id', 'text', (c) => c.references('file.file_id').onDelete('set null'))
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute()
  for (const column of ['user_id', 'file_id', 'table_file_id'])
    await db.schema.createIndex(`report_${column}`).on('report').columns([column]).execute()
}

import type { Kysely } from 'kysely'

/** Files of one owner with the same content share their bytes; deleted files can be restored for a while. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('file')
    .addColumn('stored_as', 'text', (c) => c.notNull().defaultTo(''))
    .execute()
  await db.schema.alterTable('file').addColumn('deleted_at', 'bigint').execute()
  const files = db as Kysely<{ file: { file_id: string; stored_as: string } }>
  await files
    .updateTable('file')
    .set((eb) => ({ stored_as: eb.ref('file_id') }))
    .execute()
  const index = (name: string, columns: string[]) => db.schema.createIndex(name).on('file').columns(columns).execute()
  await index('file_stored', ['stored_as'])
  await index('file_content', ['user_id', 'sha256'])
  await index('file_name', ['user_id', 'name_folded', 'file_id'])
  await index('file_size', ['user_id', 'size', 'file_id'])
  await index('file_deleted', ['deleted_at'])
}

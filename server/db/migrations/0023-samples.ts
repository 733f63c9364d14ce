import type { Kysely } from 'kysely'

/** How the machine was in each minute of the last days; past runs are listed by user, state and model. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('sample')
    .addColumn('minute', 'bigint', (c) => c.primaryKey())
    .addColumn('cpu', 'double precision')
    .addColumn('memory', 'double precision')
    .addColumn('disk', 'double precision')
    .addColumn('failed_services', 'integer')
    .addColumn('runs', 'integer', (c) => c.notNull())
    .execute()
  for (const column of ['user_id', 'status', 'model'])
    await db.schema.createIndex(`run_by_${column}`).on('run').columns([column, 'run_id']).execute()
}

import { type Kysely, sql } from 'kysely'

/** Procedures and their versions, and which of them a run carries out. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('procedure')
    .addColumn('procedure_id', 'text', (c) => c.primaryKey())
    .addColumn('owner_id', 'text', (c) => c.references('user.user_id').onDelete('set null'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('name_folded', 'text', (c) => c.notNull().unique())
    .addColumn('current_version', 'integer')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema
    .createTable('procedure_version')
    .addColumn('procedure_id', 'text', (c) => c.notNull().references('procedure.procedure_id').onDelete('cascade'))
    .addColumn('version', 'integer', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('description', 'text', (c) => c.notNull())
    .addColumn('params', 'text', (c) => c.notNull())
    .addColumn('steps', 'text', (c) => c.notNull())
    .addColumn('content_hash', 'text', (c) => c.notNull())
    .addColumn('from_run_id', 'text')
    .addColumn('author_id', 'text', (c) => c.references('user.user_id').onDelete('set null'))
    .addColumn('reviewer_id', 'text', (c) => c.references('user.user_id').onDelete('set null'))
    .addColumn('review_note', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addColumn('reviewed_at', 'bigint')
    .addPrimaryKeyConstraint('procedure_version_pk', ['procedure_id', 'version'])
    .execute()
  // One at a time is being written or waits for a review.
  await sql`create unique index procedure_open on procedure_version (procedure_id) where state in ('draft', 'in_review')`.execute(
    db,
  )
  await db.schema.createIndex('procedure_owner').on('procedure').columns(['owner_id']).execute()
  await db.schema.createIndex('procedure_author').on('procedure_version').columns(['author_id']).execute()
  await db.schema.createIndex('procedure_reviewer').on('procedure_version').columns(['reviewer_id']).execute()
  for (const [column, type] of [
    ['procedure_id', 'text'],
    ['procedure_version', 'integer'],
    ['procedure_values', 'text'],
  ] as const)
    await db.schema.alterTable('run').addColumn(column, type).execute()
  await sql`create index run_procedure on run (procedure_id, run_id) where procedure_id is not null`.execute(db)
}

import { type Kysely, sql } from 'kysely'

/**
 * Of a module with data there is one process on all machines: which one, where its data are kept, and the calls that other
 * processes make through it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('module').addColumn('instances', 'text').execute()
  await db.schema
    .createTable('module_owner')
    .addColumn('module', 'text', (c) => c.primaryKey())
    .addColumn('owner', 'text')
    .addColumn('host', 'text')
    .addColumn('epoch', 'bigint', (c) => c.notNull())
    .addColumn('lease_until', 'bigint', (c) => c.notNull())
    .addColumn('since', 'bigint', (c) => c.notNull())
    .addColumn('wanted_by', 'text')
    .addColumn('wanted_until', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('runtime', 'text')
    .addColumn('runtime_number', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('data_id', 'text')
    .addColumn('data_at', 'bigint')
    .addColumn('data_size', 'bigint')
    .addColumn('data_problem', 'text')
    .execute()
  await db.schema
    .createTable('module_call')
    .addColumn('call_id', 'text', (c) => c.primaryKey())
    .addColumn('module', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('epoch', 'bigint')
    .addColumn('cancelled', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('request', 'text', (c) => c.notNull())
    .addColumn('progress', 'text')
    .addColumn('question', 'text')
    .addColumn('answer', 'text')
    .addColumn('result', 'text')
    .addColumn('seen_at', 'bigint', (c) => c.notNull())
    .addCheckConstraint('module_call_state', sql`state in ('asked', 'taken', 'done')`)
    .execute()
  // Looked for all day, and nearly always empty.
  await db.schema
    .createIndex('module_call_asked')
    .on('module_call')
    .column('module')
    .where(sql.ref('state'), '=', sql.lit('asked'))
    .execute()
}

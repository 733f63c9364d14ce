import type { Kysely } from 'kysely'

/** A role says how calls that only read are kept in the audit log; what is counted waits here until its hour is over. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('role')
    .addColumn('audit_reads', 'text', (c) => c.notNull().defaultTo('count'))
    .execute()
  await db.schema
    .createTable('audit_count')
    .addColumn('hour', 'bigint', (c) => c.notNull())
    .addColumn('actor_id', 'text', (c) => c.notNull())
    .addColumn('actor', 'text', (c) => c.notNull())
    .addColumn('action', 'text', (c) => c.notNull())
    .addColumn('target', 'text', (c) => c.notNull())
    .addColumn('times', 'bigint', (c) => c.notNull())
    .addColumn('failed', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('audit_count_pk', ['hour', 'actor_id', 'action', 'target'])
    .execute()
}

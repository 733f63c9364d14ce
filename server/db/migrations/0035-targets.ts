import { type Kysely, sql } from 'kysely'

/**
 * Calls name the machines that they are about, cards and grants hold for exactly these, and how a call ended is kept for
 * each of several.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('tool_call').addColumn('targets', 'text').execute()
  await db.schema.alterTable('approval').addColumn('targets', 'text').execute()
  await db.schema
    .alterTable('approval')
    .addColumn('bound_hash', 'text', (c) => c.notNull().defaultTo(''))
    .execute()
  await db.schema
    .alterTable('approval_grant')
    .addColumn('targets_hash', 'text', (c) => c.notNull().defaultTo(''))
    .execute()
  await db.schema
    .alterTable('change')
    .addColumn('host_name', 'text', (c) => c.notNull().defaultTo('local'))
    .execute()
  await db.schema
    .createTable('tool_call_host')
    .addColumn('tool_call_id', 'text', (c) => c.notNull().references('tool_call.tool_call_id').onDelete('cascade'))
    .addColumn('host_id', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('op_id', 'text')
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('started_at', 'bigint')
    .addColumn('ended_at', 'bigint')
    .addColumn('text', 'text')
    .addPrimaryKeyConstraint('tool_call_host_pk', ['tool_call_id', 'host_id'])
    .addCheckConstraint(
      'tool_call_host_status',
      sql`status in ('running', 'done', 'failed', 'cancelled', 'unknown', 'skipped')`,
    )
    .execute()
  // Asked for all day, and nearly always empty.
  await db.schema
    .createIndex('tool_call_host_lost')
    .on('tool_call_host')
    .column('tool_call_id')
    .where(sql.ref('status'), '=', sql.lit('unknown'))
    .where(sql.ref('op_id'), 'is not', null)
    .execute()
}

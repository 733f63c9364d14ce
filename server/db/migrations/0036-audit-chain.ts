import { type Kysely, sql } from 'kysely'
import type { Dialect } from '../dialect.ts'

/**
 * Entries of the audit log that are not in its chain yet. The log itself stays as it is, so that the version before this
 * one goes on writing to it meanwhile.
 */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await db.schema
    .createTable('audit_unchained')
    .$call(dialect.counter('entry_id'))
    .addColumn('recorded_at', 'bigint', (c) => c.notNull().defaultTo(sql`(${dialect.now})`))
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('actor_id', 'text')
    .addColumn('actor', 'text', (c) => c.notNull())
    .addColumn('action', 'text', (c) => c.notNull())
    .addColumn('target', 'text', (c) => c.notNull())
    .addColumn('outcome', 'text', (c) => c.notNull())
    .addColumn('details', 'text', (c) => c.notNull())
    .execute()
}

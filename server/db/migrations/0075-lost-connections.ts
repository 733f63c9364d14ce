import type { Kysely } from 'kysely'

/** Whether a person wants to be told by mail that a connection to a module was lost. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('notice_setting')
    .addColumn('connections', 'integer', (c) => c.notNull().defaultTo(1))
    .execute()
}

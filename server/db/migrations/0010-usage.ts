import type { Kysely } from 'kysely'

/** Use of the AI engine per day, limits of roles, and switches that turn tools off. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const table = (name: string) => db.schema.createTable(name)

  await table('usage_day')
    .addColumn('day', 'text', (c) => c.notNull())
    .addColumn('user_id', 'text', (c) => c.notNull().references('user.user_id').onDelete('cascade'))
    .addColumn('model', 'text', (c) => c.notNull())
    .addColumn('messages', 'bigint', (c) => c.notNull())
    .addColumn('input_tokens', 'bigint', (c) => c.notNull())
    .addColumn('output_tokens', 'bigint', (c) => c.notNull())
    .addColumn('cost_micros', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('usage_day_pk', ['user_id', 'day', 'model'])
    .execute()
  await db.schema.createIndex('usage_day_day').on('usage_day').columns(['day']).execute()
  await table('quota')
    .addColumn('role_id', 'text', (c) => c.primaryKey().references('role.role_id').onDelete('cascade'))
    .addColumn('day_messages', 'bigint')
    .addColumn('day_tokens', 'bigint')
    .addColumn('day_cost_micros', 'bigint')
    .addColumn('month_messages', 'bigint')
    .addColumn('month_tokens', 'bigint')
    .addColumn('month_cost_micros', 'bigint')
    .execute()
  await table('off_switch')
    .addColumn('subject', 'text', (c) => c.primaryKey())
    .addColumn('reason', 'text', (c) => c.notNull())
    .addColumn('by', 'text', (c) => c.notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .execute()
}

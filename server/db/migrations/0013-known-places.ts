import type { Kysely } from 'kysely'

/**
 * Where users have signed in from before, and when a sign-in was last confirmed: existing ones must be confirmed again.
 * Exact arguments of calls that repeat a secret.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('known_place')
    .addColumn('user_id', 'text', (c) => c.notNull().references('user.user_id').onDelete('cascade'))
    .addColumn('place_hash', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('last_used_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('known_place_key', ['user_id', 'place_hash'])
    .execute()
  await db.schema.createIndex('known_place_hash').on('known_place').columns(['place_hash']).execute()
  await db.schema.createIndex('known_place_age').on('known_place').columns(['last_used_at']).execute()
  await db.schema
    .alterTable('session')
    .addColumn('confirmed_at', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute()
  await db.schema.alterTable('tool_call').addColumn('arguments_sealed', 'text').execute()
}

import type { Kysely } from 'kysely'

/**
 * What a search reads of many segments: it finds the owner's newest ones, and the conversations of those that the index
 * names, without their wide rows.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex('search_segment_newest')
    .on('search_segment')
    .columns(['user_id', 'segment_id', 'long', 'conversation_id'])
    .execute()
}

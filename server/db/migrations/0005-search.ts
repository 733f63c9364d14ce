import { sql, type Kysely } from 'kysely'
import { searchLine } from '../../kernel/text/search-words.ts'
import type { Dialect } from '../dialect.ts'
import type { Tables } from '../schema.ts'
import { replaceLines } from '../search-segments.ts'

/** What this migration reads, as it is at this point in history. */
interface Then {
  conversation: { conversation_id: string; user_id: string; title: string }
  message: { message_id: string; conversation_id: string; created_at: number }
  message_part: { message_id: string; part_index: number; text_folded: string }
}

/** The search index over conversations, filled from existing data. */
export async function up(db: Kysely<unknown>, dialect: Dialect): Promise<void> {
  await db.schema
    .createTable('search_segment')
    .$call(dialect.counter('segment_id'))
    .addColumn('conversation_id', 'text', (c) =>
      c.notNull().references('conversation.conversation_id').onDelete('cascade'),
    )
    .addColumn('user_id', 'text', (c) => c.notNull())
    .addColumn('position', 'integer', (c) => c.notNull())
    .addColumn('long', 'integer', (c) => c.notNull())
    .addColumn('body', 'text', (c) => c.notNull())
    .addColumn('places', 'text', (c) => c.notNull())
    .addUniqueConstraint('search_segment_position', ['conversation_id', 'position'])
    .execute()
  if (dialect.name === 'sqlite') await sqliteIndex(db)
  else await postgresIndex(db)
  // The bin is listed like everything else: by owner, newest first.
  await sql`create index conversation_deleted on conversation (user_id, updated_at desc, conversation_id desc)
    where deleted_at is not null`.execute(db)
  await fill(db)
  // The search uses the segments now.
  await db.schema.alterTable('message_part').dropColumn('text_folded').execute()
  await db.schema.alterTable('conversation').dropColumn('title_folded').execute()
}

/**
 * Grams only: no text, no positions, no counts. Everything but a space is part of a gram, and nothing is folded a
 * second time.
 */
async function sqliteIndex(db: Kysely<unknown>): Promise<void> {
  await sql`create virtual table search_index using fts5(grams, content='', contentless_delete=1, detail=none,
    tokenize="unicode61 remove_diacritics 0 categories 'L* M* N* P* S* C*'")`.execute(db)
  await sql`create trigger search_segment_gone after delete on search_segment
    begin delete from search_index where rowid = old.segment_id; end`.execute(db)
  await mergeWithWrites(db)
}

/**
 * By default, the index postpones merging and then merges in the middle of some write, for up to a second. This makes
 * it merge a little with every write instead (measurements: docs/decisions/0009-search.md).
 */
export async function mergeWithWrites(db: Kysely<unknown>): Promise<void> {
  for (const [setting, value] of Object.entries({ automerge: 0, deletemerge: 0, crisismerge: 1000 })) {
    await sql`insert into search_index (search_index, rank) values (${sql.lit(setting)}, ${sql.lit(value)})`.execute(db)
  }
  await sql`create trigger search_segment_written after insert on search_segment
    begin insert into search_index (search_index, rank) values ('merge', 16); end`.execute(db)
}

async function postgresIndex(db: Kysely<unknown>): Promise<void> {
  await sql`create table search_index (
    rowid bigint primary key references search_segment (segment_id) on delete cascade, grams text not null)`.execute(db)
  await sql`create index search_index_grams on search_index using gin (string_to_array(grams, ' '))`.execute(db)
}

async function fill(db: Kysely<Then>): Promise<void> {
  let after = ''
  for (;;) {
    const conversations = await db
      .selectFrom('conversation')
      .select(['conversation_id', 'user_id', 'title'])
      .where('conversation_id', '>', after)
      .orderBy('conversation_id')
      .limit(200)
      .execute()
    for (const conversation of conversations) {
      const parts = await db
        .selectFrom('message')
        .innerJoin('message_part', 'message_part.message_id', 'message.message_id')
        .select(['message.message_id', 'message_part.part_index', 'message_part.text_folded'])
        .where('message.conversation_id', '=', conversation.conversation_id)
        .where('message_part.text_folded', '<>', '')
        .orderBy('message.message_id')
        .orderBy('message_part.part_index')
        .execute()
      await replaceLines(
        db as unknown as Kysely<Tables>,
        { ...conversation, title: searchLine(conversation.title) },
        parts.map((part) => ({
          place: `${part.message_id}:${part.part_index}`,
          text: searchLine(part.text_folded),
        })),
      )
    }
    if (conversations.length === 0) return
    after = conversations.at(-1)!.conversation_id
  }
}

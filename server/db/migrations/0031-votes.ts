import { type Kysely, sql } from 'kysely'

/** A card may wait for others than the person who asked; each of them has one vote. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('approval')
    .addColumn('needs', 'text', (c) => c.notNull().defaultTo('[]'))
    .execute()
  await db.schema.alterTable('approval').addColumn('voting', 'text').execute()
  await sql`create index approval_others on approval (approval_id) where needs <> '[]' and status = 'pending'`.execute(
    db,
  )
  await db.schema
    .createTable('vote')
    .addColumn('subject_id', 'text', (c) => c.notNull())
    .addColumn('user_id', 'text', (c) => c.notNull().references('user.user_id').onDelete('cascade'))
    .addColumn('decision', 'text', (c) => c.notNull())
    .addColumn('reason', 'text')
    .addColumn('session_id', 'text', (c) => c.notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('vote_once', ['subject_id', 'user_id'])
    .execute()
  await db.schema.createIndex('vote_user').on('vote').columns(['user_id', 'subject_id']).execute()
}

import { type Kysely, sql } from 'kysely'

/**
 * Grants end: each has a number of uses and a time, and covers one call or calls like it. Those that freed a whole tool
 * for a conversation end here. A card keeps what it offers, and what was taken of that.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.dropTable('approval_grant').execute()
  await db.schema
    .createTable('approval_grant')
    .addColumn('grant_id', 'text', (c) => c.primaryKey())
    .addColumn('user_id', 'text', (c) => c.notNull())
    .addColumn('conversation_id', 'text', (c) =>
      c.notNull().references('conversation.conversation_id').onDelete('cascade'),
    )
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('module', 'text', (c) => c.notNull())
    .addColumn('tool', 'text', (c) => c.notNull())
    .addColumn('definition_hash', 'text', (c) => c.notNull())
    .addColumn('basis', 'text', (c) => c.notNull())
    .addColumn('arguments_hash', 'text')
    .addColumn('spec', 'text')
    .addColumn('uses', 'integer')
    .addColumn('uses_left', 'integer')
    .addColumn('expires_at', 'bigint')
    .addColumn('revoked_at', 'bigint')
    .addColumn('approval_id', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addUniqueConstraint('approval_grant_once', ['approval_id', 'tool'])
    // What covers calls always ends; only a permission may last as long as its conversation.
    .addCheckConstraint(
      'approval_grant_kind',
      sql`(kind = 'permission' and module = '' and arguments_hash is null and spec is null)
        or (kind = 'exact' and module <> '' and arguments_hash is not null and spec is null
          and uses_left >= 0 and expires_at is not null)
        or (kind = 'pattern' and module <> '' and arguments_hash is null and spec is not null
          and uses_left >= 0 and expires_at is not null)`,
    )
    .execute()
  await db.schema
    .createIndex('approval_grant_conversation')
    .on('approval_grant')
    .columns(['conversation_id', 'module', 'tool'])
    .execute()
  await db.schema.createIndex('approval_grant_module').on('approval_grant').columns(['module']).execute()
  await db.schema.createIndex('approval_grant_user').on('approval_grant').columns(['user_id', 'grant_id']).execute()
  await db.schema
    .createTable('grant_use')
    .addColumn('tool_call_id', 'text', (c) => c.primaryKey())
    .addColumn('grant_id', 'text', (c) => c.notNull().references('approval_grant.grant_id').onDelete('cascade'))
    .execute()
  await db.schema.createIndex('grant_use_grant').on('grant_use').columns(['grant_id']).execute()
  await db.schema
    .alterTable('approval')
    .addColumn('offers', 'text', (c) => c.notNull().defaultTo('[]'))
    .execute()
  await db.schema.alterTable('approval').addColumn('granted', 'text').execute()
}

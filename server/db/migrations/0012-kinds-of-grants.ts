import { type Kysely, sql } from 'kysely'

/**
 * An approval for a conversation covers a tool of a module or a permission, each in columns of its own, so that no
 * module name can be mistaken for a permission; a card for a run itself has no module. Runs record whether a user or a
 * token started them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('run')
    .addColumn('started_by', 'text', (c) => c.notNull().defaultTo('session'))
    .execute()
  await sql`update run set started_by = 'token' where substr(session_id, 1, 4) = 'tok_'`.execute(db)
  await sql`update approval set module = '' where kind = 'run'`.execute(db)

  await sql`create table approval_grant_before as select * from approval_grant`.execute(db)
  await db.schema.dropTable('approval_grant').execute()
  await db.schema
    .createTable('approval_grant')
    .addColumn('grant_id', 'text', (c) => c.primaryKey())
    .addColumn('conversation_id', 'text', (c) =>
      c.notNull().references('conversation.conversation_id').onDelete('cascade'),
    )
    .addColumn('user_id', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull())
    .addColumn('permission', 'text')
    .addColumn('module', 'text')
    .addColumn('tool', 'text')
    .addColumn('definition_hash', 'text', (c) => c.notNull())
    .addColumn('basis', 'text', (c) => c.notNull())
    .addColumn('approval_id', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addCheckConstraint(
      'approval_grant_kind',
      sql`(kind = 'permission' and permission is not null and module is null and tool is null)
        or (kind = 'tool' and permission is null and module is not null and tool is not null)`,
    )
    .execute()
  await db.schema
    .createIndex('approval_grant_conversation')
    .on('approval_grant')
    .columns(['conversation_id', 'user_id'])
    .execute()
  await db.schema.createIndex('approval_grant_module').on('approval_grant').columns(['module']).execute()
  // A card for a run itself was bound to no definition, and a tool always is.
  const rest = sql.raw('grant_id, conversation_id, user_id, definition_hash, basis, approval_id, created_at')
  await sql`insert into approval_grant (${rest}, kind, permission)
    select ${rest}, 'permission', tool from approval_grant_before where definition_hash = ''`.execute(db)
  await sql`insert into approval_grant (${rest}, kind, module, tool)
    select ${rest}, 'tool', module, tool from approval_grant_before where definition_hash <> ''`.execute(db)
  await db.schema.dropTable('approval_grant_before').execute()
}

import { type Kysely, sql } from 'kysely'

/**
 * The machines that are administered, the one that Reeve runs on always among them; what was last found out about each;
 * and the keys with which Reeve signs in to them.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('host')
    .addColumn('host_id', 'text', (c) => c.primaryKey())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('name_folded', 'text', (c) => c.notNull().unique())
    .addColumn('address', 'text')
    .addColumn('port', 'integer')
    .addColumn('account', 'text')
    // A machine that is the way to others is not removed before them.
    .addColumn('jump_host_id', 'text', (c) => c.references('host.host_id'))
    .addColumn('host_key', 'text')
    .addColumn('pinned_at', 'bigint')
    .addColumn('pinned_by', 'text')
    .addColumn('disabled_at', 'bigint')
    .addColumn('created_at', 'bigint')
    // Only the machine that Reeve runs on needs no way to it.
    .addCheckConstraint(
      'host_way',
      sql`(host_id = 'local' and address is null and port is null and account is null and jump_host_id is null
          and created_at is null)
        or (host_id <> 'local' and address is not null and port is not null and account is not null
          and created_at is not null)`,
    )
    .addCheckConstraint(
      'host_pinned',
      sql`(host_key is null and pinned_at is null and pinned_by is null)
        or (host_key is not null and pinned_at is not null and pinned_by is not null)`,
    )
    .execute()
  await db.schema.createIndex('host_jump').on('host').columns(['jump_host_id']).execute()
  await db.schema
    .createTable('host_tag')
    .addColumn('host_id', 'text', (c) => c.notNull().references('host.host_id').onDelete('cascade'))
    .addColumn('tag', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('host_tag_pk', ['host_id', 'tag'])
    .execute()
  await db.schema
    .createTable('host_state')
    .addColumn('host_id', 'text', (c) => c.primaryKey().references('host.host_id').onDelete('cascade'))
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('problem', 'text')
    .addColumn('checked_at', 'bigint', (c) => c.notNull())
    .addColumn('latency_ms', 'integer')
    .addColumn('facts', 'text')
    .addColumn('helper', 'text')
    .addColumn('offered_key', 'text')
    .execute()
  await db.schema
    .createTable('ssh_key')
    .addColumn('key_id', 'text', (c) => c.primaryKey())
    .addColumn('public_key', 'text', (c) => c.notNull())
    .addColumn('sealed', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('retired_at', 'bigint')
    .execute()
  await sql`insert into host (host_id, name, name_folded) values ('local', 'local', 'local')`.execute(db)
}

import type { Kysely } from 'kysely'

/** Connections to remote modules by OAuth: of everybody, or of one person. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('module_connection')
    .addColumn('module', 'text', (c) => c.notNull().references('module.module').onDelete('cascade'))
    // '' is the connection that lists the tools; otherwise it is a person's.
    .addColumn('owner', 'text', (c) => c.notNull())
    .addColumn('user_id', 'text', (c) => c.references('user.user_id').onDelete('cascade'))
    .addColumn('issuer', 'text', (c) => c.notNull())
    .addColumn('sealed', 'text', (c) => c.notNull())
    .addColumn('scope', 'text')
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('problem', 'text')
    .addColumn('challenge', 'text')
    .addColumn('expires_at', 'bigint')
    .addColumn('version', 'integer', (c) => c.notNull())
    .addColumn('renewing_until', 'bigint', (c) => c.notNull())
    .addColumn('connected_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('module_connection_key', ['module', 'owner'])
    .execute()
  await db.schema.createIndex('module_connection_user').on('module_connection').columns(['user_id']).execute()
  await db.schema
    .createTable('module_client')
    .addColumn('module', 'text', (c) => c.notNull().references('module.module').onDelete('cascade'))
    .addColumn('issuer', 'text', (c) => c.notNull())
    .addColumn('redirect_uri', 'text', (c) => c.notNull())
    .addColumn('sealed', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('module_client_key', ['module', 'issuer', 'redirect_uri'])
    .execute()
  await db.schema
    .createTable('module_connecting')
    .addColumn('state_hash', 'text', (c) => c.primaryKey())
    .addColumn('module', 'text', (c) => c.notNull().references('module.module').onDelete('cascade'))
    .addColumn('owner', 'text', (c) => c.notNull())
    .addColumn('user_id', 'text', (c) => c.notNull().references('user.user_id').onDelete('cascade'))
    .addColumn('session_id', 'text', (c) => c.notNull())
    .addColumn('sealed', 'text', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('module_connecting_expires').on('module_connecting').columns(['expires_at']).execute()
}

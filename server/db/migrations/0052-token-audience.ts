import type { Kysely } from 'kysely'

/** Where an access token counts: at the interface, or at the gateway for MCP clients. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('access_token')
    .addColumn('audience', 'text', (c) => c.notNull().defaultTo('api'))
    .execute()
}

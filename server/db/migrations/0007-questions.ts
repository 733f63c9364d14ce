import type { Kysely } from 'kysely'

/** Cards say which kind they are; a module's question has its text and its form. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('approval')
    .addColumn('kind', 'text', (c) => c.notNull().defaultTo('call'))
    .execute()
  await db.schema.alterTable('approval').addColumn('question', 'text').execute()
  await (db as Kysely<{ approval: { kind: string; tool_call_id: string | null } }>)
    .updateTable('approval')
    .set({ kind: 'run' })
    .where('tool_call_id', 'is', null)
    .execute()
}

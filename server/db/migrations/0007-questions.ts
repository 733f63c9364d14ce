import type { Kysely } from 'kysely'

/** Cards say what kind they are; a question of a module has its words and its form. */
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

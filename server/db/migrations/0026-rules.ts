import { type Kysely, sql } from 'kysely'
import { hashOf } from '../../kernel/text/canonical.ts'

const EVERYBODY = 'everybody'

/**
 * A rule may say more than its subject and effect, and a role may have several of the same; those that are there say
 * nothing more and mean what they meant. The name of the role that binds everybody becomes free for it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('role_rule').renameTo('old_role_rule').execute()
  await db.schema
    .createTable('role_rule')
    .addColumn('rule_id', 'text', (c) => c.primaryKey())
    .addColumn('role_id', 'text', (c) => c.notNull().references('role.role_id').onDelete('cascade'))
    .addColumn('subject', 'text', (c) => c.notNull())
    .addColumn('effect', 'text', (c) => c.notNull())
    .addColumn('spec', 'text', (c) => c.notNull())
    .addColumn('spec_hash', 'text', (c) => c.notNull())
    .addUniqueConstraint('role_rule_once', ['role_id', 'subject', 'effect', 'spec_hash'])
    .execute()
  const { rows } = await sql<{ role_id: string; subject: string; effect: string }>`
    select role_id, subject, effect from old_role_rule order by role_id, subject, effect`.execute(db)
  for (const { role_id, subject, effect } of rows)
    await sql`insert into role_rule (rule_id, role_id, subject, effect, spec, spec_hash)
      values (${ruleId(role_id, subject, effect)}, ${role_id}, ${subject}, ${effect}, '{}', '')`.execute(db)
  await db.schema.dropTable('old_role_rule').execute()

  const taken = new Set(
    (await sql<{ name: string }>`select name_folded as name from role`.execute(db)).rows.map((row) => row.name),
  )
  if (!taken.has(EVERYBODY)) return
  let number = 2
  while (taken.has(`${EVERYBODY} ${number}`)) number++
  await sql`update role set name = name || ${` ${number}`}, name_folded = ${`${EVERYBODY} ${number}`}
    where name_folded = ${EVERYBODY}`.execute(db)
}

/** The same for a copy of the database, so that two that were migrated are still the same. */
function ruleId(...rule: readonly string[]): string {
  return `rul_${hashOf(rule).slice(0, 28)}`
}

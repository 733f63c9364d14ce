import type { Database, Reader, Trx } from '../../db/database.ts'
import type { RuleSpec } from '../../../contract/rule-conditions.ts'
import { ACCOUNTS_LOCK } from '../accounts-context.ts'
import { readSubject } from './policy-subject.ts'
import { ruleRow } from './rule-row.ts'

/** A rule about tools of a module, with the role it belongs to. */
export interface ModuleRule {
  readonly role_id: string
  readonly role: string
  readonly subject: string
  readonly effect: 'allow' | 'ask' | 'deny'
  /** What it says besides, such as its conditions. */
  readonly spec: RuleSpec
}

/** What the catalogue asks of roles when a module is installed or removed (its port, filled by `app`). */
export interface ModuleRules {
  /** All roles' rules about tools of the module, by the role's name. */
  about(module: string): Promise<readonly ModuleRule[]>
  /** Removes those that allow, since whatever is installed next under the name is not what they were meant for. */
  withdraw(trx: Trx, module: string): Promise<void>
  /** Restores rules to the roles that still exist; returns those that were restored. */
  giveBack(trx: Trx, rules: readonly Pick<ModuleRule, 'role_id' | 'subject' | 'effect' | 'spec'>[]): Promise<number>
}

export function openModuleRules(db: Database): ModuleRules {
  return {
    about: (module) => rulesAbout(db.read, module),
    async withdraw(trx, module) {
      await db.dialect.serialize(trx, ACCOUNTS_LOCK)
      const allowing = (await rulesAbout(trx, module)).filter(({ effect }) => effect === 'allow')
      for (const { role_id, subject } of allowing) {
        await trx
          .deleteFrom('role_rule')
          .where('role_id', '=', role_id)
          .where('subject', '=', subject)
          .where('effect', '=', 'allow')
          .execute()
      }
      await countChange(db, trx, allowing)
    },
    async giveBack(trx, rules) {
      await db.dialect.serialize(trx, ACCOUNTS_LOCK)
      const roles = new Set((await trx.selectFrom('role').select('role_id').execute()).map(({ role_id }) => role_id))
      const given = rules.filter(({ role_id }) => roles.has(role_id))
      for (const { role_id, subject, effect, spec } of given) {
        await trx
          .insertInto('role_rule')
          .values(ruleRow(role_id, { subject, effect, ...spec }))
          .onConflict((conflict) => conflict.doNothing())
          .execute()
      }
      await countChange(db, trx, given)
      return given.length
    },
  }
}

async function rulesAbout(reader: Reader, module: string): Promise<ModuleRule[]> {
  const rows = await reader
    .selectFrom('role_rule')
    .innerJoin('role', 'role.role_id', 'role_rule.role_id')
    .select(['role_rule.role_id', 'role.name as role', 'role_rule.subject', 'role_rule.effect', 'role_rule.spec'])
    // Module names contain no wildcards.
    .where('role_rule.subject', 'like', `tool:${module}.%`)
    .orderBy('role.name')
    .orderBy('role_rule.subject')
    .orderBy('role_rule.effect')
    .orderBy('role_rule.rule_id')
    .execute()
  const about = rows.filter(({ subject }) => {
    const read = readSubject(subject)
    return read.kind === 'tool' && read.module === module
  })
  return about.map(({ spec, ...rule }) => ({ ...rule, spec: JSON.parse(spec) as RuleSpec }))
}

/** Lets anyone who has the role open in a page, or judges by it, find out that it has changed. */
async function countChange(db: Database, trx: Trx, rules: readonly { readonly role_id: string }[]): Promise<void> {
  if (rules.length > 0) db.wake(trx, 'rules')
  for (const role_id of new Set(rules.map((rule) => rule.role_id))) {
    await trx
      .updateTable('role')
      .set((row) => ({ revision: row('revision', '+', 1) }))
      .where('role_id', '=', role_id)
      .execute()
  }
}

import type { z } from 'zod'
import type { Rule } from '../../../contract/rules.ts'
import type { RoleRuleTable } from '../../db/rows/account-tables.ts'
import { newId } from '../../kernel/id.ts'
import { specHash, specOf } from './compiled-rules.ts'

/** A rule as a new row. */
export function ruleRow(role_id: string, rule: z.infer<typeof Rule>): RoleRuleTable {
  const spec = specOf(rule)
  const { subject, effect } = rule
  return { rule_id: newId('rule'), role_id, subject, effect, spec: JSON.stringify(spec), spec_hash: specHash(spec) }
}

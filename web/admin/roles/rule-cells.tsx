import { t } from '../../i18n.ts'
import { PolicyCell } from '../../modules/policy-cell.tsx'
import { type Role, type RuleResult, ruleOf } from '../../modules/tool-rules.ts'
import type { RoleDraft } from './use-role-draft.ts'

interface RuleCellsProps {
  readonly draft: RoleDraft
  readonly shown: string
  readonly subject: string
  /** What the subject is called. */
  readonly name: string
  readonly result: ((rules: Role['rules']) => RuleResult) | undefined
}

/** One row's cells: the rule of each role, and what comes of it. */
export function RuleCells({ draft, shown, subject, name, result }: RuleCellsProps) {
  return draft.roles.map((role) => (
    <PolicyCell
      key={role.role_id}
      label={t('modules.rule_label', { tool: name, role: role.name })}
      choice={ruleOf(role.rules, subject)}
      changed={draft.open.some((change) => change.role_id === role.role_id && change.subject === subject)}
      {...(role.role_id === shown ? {} : { className: 'max-md:hidden' })}
      {...(result === undefined ? {} : { result: result(role.rules) })}
      onChange={(choice) => draft.change({ role_id: role.role_id, subject, choice })}
    />
  ))
}

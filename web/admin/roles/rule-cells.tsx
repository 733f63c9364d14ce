import { t } from '../../text/i18n.ts'
import { PolicyCell } from '../../modules/tools/policy-cell.tsx'
import { type Role, type RuleResult, ruleOf } from '../../modules/tools/tool-rules.ts'
import type { RoleDraft } from './use-role-draft.ts'

interface RuleCellsProps {
  readonly draft: RoleDraft
  readonly shown: string
  readonly subject: string
  /** Name of the subject. */
  readonly name: string
  readonly result: ((role: Role) => RuleResult) | undefined
}

/** One row's cells: each role's rule and its effect. */
export function RuleCells({ draft, shown, subject, name, result }: RuleCellsProps) {
  return draft.roles.map((role) => (
    <PolicyCell
      key={role.role_id}
      label={t('modules.rule_label', { tool: name, role: role.name })}
      choice={ruleOf(role.rules, subject)}
      changed={draft.open.some((change) => change.role_id === role.role_id && change.subject === subject)}
      {...(role.role_id === shown ? {} : { className: 'max-md:hidden' })}
      {...(result === undefined ? {} : { result: result(role) })}
      onChange={(choice) => draft.change({ role_id: role.role_id, subject, choice })}
    />
  ))
}

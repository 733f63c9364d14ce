import { classNames } from '../parts/class-names.ts'
import { Panel } from '../parts/layout/panel.tsx'
import { t } from '../text/i18n.ts'
import { SaidRule } from './conditions/said-rule.tsx'
import type { ConditionChange, RuleChange } from './rule-draft.ts'
import { nameOfSubject, type RuleGroup } from './rule-lines.ts'
import type { Role } from './tool-rules.ts'

interface ConditionalPreviewProps {
  readonly changes: readonly RuleChange[]
  readonly roles: readonly Role[]
  readonly groups: readonly RuleGroup[]
}

/** What new, changed and deleted rules with conditions decide differently, and for whom. */
export function ConditionalPreview({ changes, roles, groups }: ConditionalPreviewProps) {
  const everyone = roles.reduce((sum, { users }) => sum + users, 0)
  const conditional = changes.filter((change): change is ConditionChange => 'place' in change)
  const byRole = roles.flatMap((role) => {
    const own = conditional.filter(({ role_id }) => role_id === role.role_id)
    return own.length === 0 ? [] : [{ role, own }]
  })
  return (
    <ul aria-label={t('rules.conditional_changes')} className="space-y-4">
      {byRole.map(({ role, own }) => (
        <li key={role.role_id}>
          <p className="mb-1.5 font-medium break-words">
            {role.everybody
              ? t('rules.then_conditions_all', { count: everyone })
              : t('rules.then_conditions', { count: role.users, role: role.name })}
          </p>
          <Panel>
            <ul className="divide-line divide-y">
              {own.map(({ place, subject, was, rule }) => (
                <li key={place} className="space-y-1 px-4 py-2">
                  <p className="font-medium break-words">{nameOfSubject(groups, subject)}</p>
                  {[was, rule].map(
                    (one, at) =>
                      one !== null && (
                        <p key={at} className={classNames('break-words', at === 0 && 'text-muted line-through')}>
                          {at === 0 && <span className="sr-only">{t('rule_form.no_longer')} </span>}
                          <SaidRule rule={one} roles={roles} />
                        </p>
                      ),
                  )}
                </li>
              ))}
            </ul>
          </Panel>
        </li>
      ))}
    </ul>
  )
}

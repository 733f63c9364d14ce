import { Notice } from '../parts/feedback/notice.tsx'
import { t } from '../text/i18n.ts'
import type { ForeignChange, RuleChange } from './rule-draft.ts'
import { nameOfSubject, type RuleGroup } from './rule-lines.ts'
import { RuleStep } from './rule-step.tsx'

interface ForeignChangesProps {
  readonly changes: readonly ForeignChange[]
  /** This draft's changes: where both meet, saving replaces the other one. */
  readonly own: readonly RuleChange[]
  readonly groups: readonly RuleGroup[]
}

/** What somebody else has saved since the draft was begun. */
export function ForeignChanges({ changes, own, groups }: ForeignChangesProps) {
  return (
    <Notice tone="warn" title={t('rules.foreign')}>
      <p className="mb-1">{t('rules.foreign_text')}</p>
      <ul aria-label={t('rules.foreign')}>
        {changes.map(({ role, subject, from, to }) => (
          <li key={`${role.role_id} ${subject}`} className="flex flex-wrap items-center gap-x-3 py-0.5">
            <span className="min-w-0 break-words">
              {nameOfSubject(groups, subject)} · {role.name}
            </span>
            {from === to ? (
              <span className="text-muted text-sm">{t('rules.foreign_conditions')}</span>
            ) : (
              <RuleStep from={from} to={to} />
            )}
            {own.some(
              (change) => change.role_id === role.role_id && change.subject === subject && !('place' in change),
            ) && <span className="text-warn font-medium">{t('rules.foreign_both')}</span>}
          </li>
        ))}
      </ul>
    </Notice>
  )
}

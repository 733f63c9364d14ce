import { Undo2 } from 'lucide-react'
import { IconButton } from '../parts/controls/icon-button.tsx'
import { announce } from '../parts/feedback/announcer.tsx'
import { Panel } from '../parts/layout/panel.tsx'
import { Section } from '../parts/layout/section.tsx'
import { t } from '../text/i18n.ts'
import { nameOfSubject, type RuleGroup } from './rule-lines.ts'
import { RuleStep } from './rule-step.tsx'
import { ruleOf } from './tool-rules.ts'
import type { RuleDraft } from './use-rule-draft.ts'

/** Every unsaved rule, each with a button that takes it back. */
export function ChangedRules({ draft, groups }: { readonly draft: RuleDraft; readonly groups: readonly RuleGroup[] }) {
  const { saved, open, save } = draft
  return (
    <Section title={t('rules.changed')}>
      <Panel>
        <ul aria-label={t('rules.changed')} className="divide-line divide-y">
          {open.map((change) => {
            const role = saved.find(({ role_id }) => role_id === change.role_id)
            const name = nameOfSubject(groups, change.subject)
            return (
              <li
                key={`${change.role_id} ${change.subject}`}
                className="flex flex-wrap items-center gap-x-3 gap-y-1 py-1 ps-4 pe-1"
              >
                <span className="min-w-0 flex-1 basis-48 break-words">
                  {name} · {role?.name}
                </span>
                <RuleStep from={ruleOf(role?.rules ?? [], change.subject)} to={change.choice} />
                <IconButton
                  label={t('rules.take_back', { name, role: role?.name ?? '' })}
                  icon={Undo2}
                  size="sm"
                  disabled={save.isPending}
                  onClick={() => {
                    draft.drop(change)
                    announce(t('rules.taken_back'))
                  }}
                />
              </li>
            )
          })}
        </ul>
      </Panel>
    </Section>
  )
}

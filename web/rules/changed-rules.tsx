import { Pencil, Undo2 } from 'lucide-react'
import { IconButton } from '../parts/controls/icon-button.tsx'
import { announce } from '../parts/feedback/announcer.tsx'
import { Panel } from '../parts/layout/panel.tsx'
import { Section } from '../parts/layout/section.tsx'
import { t } from '../text/i18n.ts'
import { plainSaid, saidRule } from './conditions/condition-words.ts'
import { EffectWord } from './effect-word.tsx'
import { changeKey, type ConditionChange } from './rule-draft.ts'
import { nameOfSubject, type RuleGroup } from './rule-lines.ts'
import { RuleStep } from './rule-step.tsx'
import { ruleOf } from './tool-rules.ts'
import type { RuleDraft } from './use-rule-draft.ts'

interface ChangedRulesProps {
  readonly draft: RuleDraft
  readonly groups: readonly RuleGroup[]
  /** Opens the form for a rule with conditions. */
  onEdit(change: ConditionChange): void
}

/** Every unsaved rule, each with a button that takes it back. */
export function ChangedRules({ draft, groups, onEdit }: ChangedRulesProps) {
  const { saved, open, save } = draft
  return (
    <Section title={t('rules.changed')}>
      <Panel>
        <ul aria-label={t('rules.changed')} className="divide-line divide-y">
          {open.map((change) => {
            const role = saved.find(({ role_id }) => role_id === change.role_id)
            const name = nameOfSubject(groups, change.subject)
            return (
              <li key={changeKey(change)} className="flex flex-wrap items-center gap-x-3 gap-y-1 py-1 ps-4 pe-1">
                <span className="min-w-0 flex-1 basis-48 break-words">
                  {name} · {role?.name}
                </span>
                {'place' in change ? (
                  <ConditionStep change={change} />
                ) : (
                  <RuleStep from={ruleOf(role?.rules ?? [], change.subject)} to={change.choice} />
                )}
                {'place' in change && change.rule !== null && (
                  <IconButton
                    label={t('rule_form.edit', { rule: plainSaid(saidRule(change.rule)) })}
                    icon={Pencil}
                    size="sm"
                    disabled={save.isPending}
                    onClick={() => onEdit(change)}
                  />
                )}
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

function ConditionStep({ change: { was, rule } }: { readonly change: ConditionChange }) {
  const said = rule === null ? 'rule_form.will_go' : was === null ? 'rule_form.is_new' : 'rule_form.is_changed'
  return (
    <span className="flex items-center gap-x-3">
      <EffectWord effect={(rule ?? was)!.effect} />
      <span className="text-muted text-sm">{t(said)}</span>
    </span>
  )
}

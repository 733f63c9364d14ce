import { Copy, Pencil, Plus, Trash2, Undo2 } from 'lucide-react'
import { classNames } from '../../parts/class-names.ts'
import { Button } from '../../parts/controls/button.tsx'
import { IconButton } from '../../parts/controls/icon-button.tsx'
import { Notice } from '../../parts/feedback/notice.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { t } from '../../text/i18n.ts'
import { EffectWord } from '../effect-word.tsx'
import type { Role } from '../tool-rules.ts'
import type { DraftedRule } from '../rule-draft.ts'
import { plainSaid, saidRule } from './condition-words.ts'
import { SaidRule } from './said-rule.tsx'
import { type Rule, sameRule } from '../same-rule.ts'
import { isEditable } from './spec-draft.ts'

interface RulesListProps {
  readonly rules: readonly DraftedRule[]
  /** For the names of those who decide. */
  readonly roles: readonly Role[]
  /** Saved rules that allow nothing any more. */
  readonly stale: readonly Rule[]
  /** Null where no rule can be made: rules for a whole module have no form. */
  readonly onNew: (() => void) | null
  onEdit(rule: DraftedRule): void
  onCopy(rule: DraftedRule): void
  onChange(drafted: DraftedRule, rule: Rule | null): void
}

/** Rules with conditions in plain language, each with what can be done with it. */
export function RulesList({ rules, roles, stale, onNew, onEdit, onCopy, onChange }: RulesListProps) {
  return (
    <div className="space-y-3">
      {rules.length === 0 ? (
        <p className="text-muted">{t('rule_form.none')}</p>
      ) : (
        <Panel>
          <ul aria-label={t('rule_form.list')} className="divide-line divide-y">
            {rules.map((drafted) => {
              const { place, was, rule } = drafted
              const shown = rule ?? was
              if (shown === null) return null
              const said = plainSaid(saidRule(shown))
              const editable = isEditable(shown)
              const changed = !sameRule(was, rule)
              return (
                <li key={place} className="flex items-start gap-2 py-3 ps-4 pe-2">
                  <div className="min-w-0 flex-1 space-y-1">
                    <p className="flex flex-wrap items-center gap-x-3">
                      <EffectWord effect={shown.effect} />
                      {changed && (
                        <span className="text-accent text-sm font-medium">
                          {t(
                            rule === null
                              ? 'rule_form.will_go'
                              : was === null
                                ? 'rule_form.is_new'
                                : 'rule_form.is_changed',
                          )}
                        </span>
                      )}
                    </p>
                    <p className={classNames('break-words', rule === null && 'text-muted line-through')}>
                      <SaidRule rule={shown} roles={roles} />
                    </p>
                    {shown.note !== undefined && <p className="text-muted text-sm break-words">{shown.note}</p>}
                    {!editable && rule !== null && <p className="text-muted text-sm">{t('rule_form.not_editable')}</p>}
                    {rule !== null && stale.some((one) => sameRule(one, rule)) && (
                      <Notice tone="warn" title={t('rule_form.stale')}>
                        {t('rule_form.stale_text')}
                      </Notice>
                    )}
                  </div>
                  <span className="flex shrink-0 max-sm:flex-col">
                    {changed && was !== null && (
                      <IconButton
                        label={t('rule_form.undo', { rule: said })}
                        icon={Undo2}
                        size="sm"
                        onClick={() => onChange(drafted, was)}
                      />
                    )}
                    {rule !== null && (
                      <>
                        {editable && (
                          <>
                            <IconButton
                              label={t('rule_form.edit', { rule: said })}
                              icon={Pencil}
                              size="sm"
                              onClick={() => onEdit(drafted)}
                            />
                            <IconButton
                              label={t('rule_form.copy', { rule: said })}
                              icon={Copy}
                              size="sm"
                              onClick={() => onCopy(drafted)}
                            />
                          </>
                        )}
                        <IconButton
                          label={t('rule_form.delete', { rule: said })}
                          icon={Trash2}
                          size="sm"
                          onClick={() => onChange(drafted, null)}
                        />
                      </>
                    )}
                  </span>
                </li>
              )
            })}
          </ul>
        </Panel>
      )}
      {onNew !== null && (
        <Button icon={Plus} onClick={onNew}>
          {t('rule_form.new')}
        </Button>
      )}
    </div>
  )
}

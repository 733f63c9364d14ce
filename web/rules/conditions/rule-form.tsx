import { Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../parts/controls/button.tsx'
import { SelectField } from '../../parts/controls/select-field.tsx'
import { SuggestField } from '../../parts/controls/suggest-field.tsx'
import { TextField } from '../../parts/controls/text-field.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { Notice } from '../../parts/feedback/notice.tsx'
import { t } from '../../text/i18n.ts'
import type { RuleGroup } from '../rule-lines.ts'
import { choicesOf } from '../rule-menu.ts'
import { type Effect, isConditional, type Role } from '../tool-rules.ts'
import { Besides } from './besides.tsx'
import { ClosedWorld } from './closed-world.tsx'
import { ConditionGroup } from './condition-group.tsx'
import { ExamplesField } from './examples-field.tsx'
import { leftOut } from './left-out.ts'
import { SaidRule } from './said-rule.tsx'
import type { Arguments, SpecDraft } from './spec-draft.ts'
import { TriedCalls } from './tried-calls.tsx'
import type { RuleFormState, RuleInForm } from './use-rule-in-form.ts'
import type { Tried } from './use-tried-rule.ts'

const NO_EXAMPLES = { match: [], no_match: [] }

interface RuleFormProps {
  readonly state: RuleFormState
  readonly made: RuleInForm
  readonly groups: readonly RuleGroup[]
  readonly roles: readonly Role[]
  /** Tool and role can be chosen. */
  readonly choosing: boolean
  readonly tried: Tried | undefined
  /** `tried` is about the rule as it is now. */
  readonly current: boolean
  readonly failed: unknown
  /** Whatever is missing is wrong. */
  readonly checked: boolean
  onChange(state: RuleFormState): void
}

/** A rule with conditions: who, which tool, what it does, which arguments may be what, its examples, and past calls. */
export function RuleForm(props: RuleFormProps) {
  const { state, made, groups, roles, choosing, tried, current, failed, checked, onChange } = props
  const { role_id, tool, spec } = state
  const { known, schema, rule } = made
  const { effect } = spec
  const role = roles.find((one) => one.role_id === role_id)
  const set = (next: Partial<SpecDraft>): void => onChange({ ...state, spec: { ...spec, ...next } })
  const problem = current ? (tried?.problem ?? null) : null
  const errorAt = (path: string): string | null => (problem?.path === path ? problem.message : null)
  const errorsIn = (path: string): ReadonlyMap<number, string> =>
    new Map(
      problem?.path.startsWith(`${path}.`) ? [[Number(problem.path.slice(path.length + 1)), problem.message]] : [],
    )
  const folders = tried?.real_paths === true
  const placed =
    problem !== null && /^(when\.|unless\.\d|examples|note|approvers|every_time|even_untrusted)/.test(problem.path)
  const examples = rule?.examples ?? spec.examples ?? NO_EXAMPLES
  const addExample = (kind: 'match' | 'no_match', args: Arguments): void =>
    set({ examples: { ...examples, [kind]: [...examples[kind], args] } })
  const tools = groups.flatMap(({ title, entries }) =>
    (entries ?? []).flatMap((entry) =>
      entry.effect === null ? [] : [{ value: entry.code, label: `${entry.title} – ${title}` }],
    ),
  )
  return (
    <div className="space-y-6">
      <div className="grid items-start gap-3 sm:grid-cols-3">
        {choosing && (
          <>
            <SuggestField
              label={t('rule_form.tool')}
              value={tool}
              onChange={(next) => onChange({ ...state, tool: next })}
              options={tools}
              hint={t('rule_form.tool_hint')}
              error={checked && schema === null ? t('rule_form.no_tool') : null}
            />
            <SelectField
              label={t('users.role')}
              value={role_id}
              onChange={(next) => {
                const chosen = roles.find((one) => one.role_id === next)
                const fits = chosen === undefined || choicesOf(chosen).includes(effect)
                onChange({ ...state, role_id: next, spec: fits ? spec : { ...spec, effect: 'ask' } })
              }}
              options={roles.map((one) => ({ value: one.role_id, label: one.name }))}
            />
          </>
        )}
        <SelectField
          label={t('rule_form.effect')}
          value={effect}
          onChange={(next) => set({ effect: next as Effect })}
          options={(role === undefined ? [effect] : choicesOf(role)).map((one) => ({
            value: one,
            label: t(`modules.rule_${one}`),
          }))}
        />
      </div>
      {schema !== null && (
        <>
          <Part title={t(effect === 'allow' ? 'rule_form.when_allow' : 'rule_form.when')}>
            <ConditionGroup
              label={t('rule_form.when')}
              drafts={spec.when}
              known={known}
              folders={effect !== 'allow' || folders}
              errors={errorsIn('when')}
              checked={checked}
              onChange={(when) => set({ when })}
              onFree={
                effect === 'allow'
                  ? (at) => set({ when: spec.when.filter((one) => one.at !== at), free: [...spec.free, at] })
                  : null
              }
            />
          </Part>
          {effect === 'allow' && (
            <Part title={t('condition.rest_title')} text={t('rule_form.rest_text')}>
              <ClosedWorld
                fixed={spec.when.some(({ kind }) => kind === 'argv') ? known.filter(({ at }) => at === '/shell') : []}
                left={leftOut(known, spec.when, spec.free)}
                free={spec.free}
                onFree={(free) => set({ free })}
              />
            </Part>
          )}
          {effect !== 'allow' && (
            <Part title={t('rule_form.unless')} text={t('rule_form.unless_text')}>
              {spec.unless.map((group, at) => (
                <ConditionGroup
                  key={at}
                  label={t('rule_form.unless_group', { number: at + 1 })}
                  drafts={group}
                  known={known}
                  folders={folders}
                  errors={errorsIn(`unless.${at}`)}
                  checked={checked}
                  onChange={(next) =>
                    set({
                      unless: spec.unless.flatMap((one, i) => (i !== at ? [one] : next.length === 0 ? [] : [next])),
                    })
                  }
                  onFree={null}
                />
              ))}
              {spec.unless.every((group) => group.length > 0) && (
                <Button size="sm" icon={Plus} onClick={() => set({ unless: [...spec.unless, []] })}>
                  {t('rule_form.unless_add')}
                </Button>
              )}
            </Part>
          )}
          {effect !== 'deny' && (
            <Part title={t(effect === 'allow' ? 'deciders.title_allow' : 'deciders.title')}>
              <Besides spec={spec} roles={roles} errorAt={errorAt} onChange={(rest) => set({ rest })} />
            </Part>
          )}
          {rule !== null && (
            <Notice tone="info" title={t('rule_form.says')}>
              <p className="break-words">
                <SaidRule rule={rule} roles={roles} />
              </p>
            </Notice>
          )}
          {problem !== null && !placed && (
            <Notice tone="danger" title={t('rule_form.not_yet')}>
              {problem.message}
            </Notice>
          )}
          {checked && rule === null && spec.when.length + spec.free.length + spec.unless.length === 0 && (
            <Notice tone="danger" title={t('rule_form.not_yet')}>
              {t('rule_form.no_condition')}
            </Notice>
          )}
          {(effect === 'allow' || spec.examples !== null) && rule !== null && isConditional(rule) && (
            <Part title={t('rule_form.examples')} text={t('rule_form.examples_text')}>
              <ExamplesField
                tool={tool}
                schema={schema}
                examples={examples}
                tried={current ? (tried?.examples ?? null) : null}
                error={errorAt('examples')}
                onChange={(next) => set({ examples: next })}
              />
            </Part>
          )}
          {rule !== null && (
            <Part title={t('rule_form.past')} text={t('rule_form.past_text')}>
              {failed !== null && <ErrorNotice title={t('rule_form.past_failed')} error={failed} />}
              {tried !== undefined && (
                <TriedCalls tried={tried} missing={tried.examples === null} onExample={addExample} />
              )}
            </Part>
          )}
          <TextField
            label={t('rule_form.note')}
            hint={t('rule_form.note_hint')}
            value={spec.note}
            maxLength={1000}
            error={errorAt('note')}
            onChange={(note) => set({ note })}
          />
        </>
      )}
    </div>
  )
}

function Part({
  title,
  text,
  children,
}: {
  readonly title: string
  readonly text?: string
  readonly children: ReactNode
}) {
  return (
    <section className="space-y-2">
      <h3 className="font-semibold">{title}</h3>
      {text !== undefined && <p className="text-muted text-sm">{text}</p>}
      {children}
    </section>
  )
}

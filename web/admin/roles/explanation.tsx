import { Check, CircleHelp, Minus, X } from 'lucide-react'
import type { Output } from '../../client/api-types.ts'
import { classNames } from '../../parts/class-names.ts'
import { t } from '../../text/i18n.ts'
import { Panel } from '../../parts/layout/panel.tsx'
import { nameOf } from '../../rules/conditions/tool-arguments.ts'
import { EffectWord } from '../../rules/effect-word.tsx'

const OUTCOMES = {
  true: { icon: Check, tone: 'text-ok' },
  false: { icon: X, tone: 'text-danger' },
  unknown: { icon: CircleHelp, tone: 'text-warn' },
} as const

type Answer = Output<'POST /api/admin/policy/explain'>

interface ExplanationProps {
  readonly answer: Answer
  /** The user or role that the question was about. */
  readonly person: string
}

/** The decision in one sentence, and every step that led to it, whether it applied or not. */
export function Explanation({ answer, person }: ExplanationProps) {
  const { effect, reason, trace, subject, known_tool: known } = answer
  return (
    <Panel className="space-y-3 p-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <EffectWord effect={effect} pill />
        <p className="min-w-0 break-words">
          <strong className="font-medium">{person}</strong> · <code className="text-sm break-all">{subject}</code>
        </p>
      </div>
      <p className="font-medium break-words">{reason}</p>
      {!known && <p className="text-muted">{t('explain.unknown_tool')}</p>}
      <ol aria-label={t('explain.steps')} className="space-y-1.5">
        {trace.map((step, at) => {
          const decides = step.matched && step.effect === effect
          const Icon = step.matched ? Check : Minus
          return (
            <li key={at} className="flex items-start gap-2.5">
              <Icon
                aria-hidden
                className={classNames('mt-0.5 size-4 shrink-0', step.matched ? 'text-accent' : 'text-muted')}
              />
              <span className={classNames('min-w-0 flex-1 break-words', !step.matched && 'text-muted')}>
                <span className="sr-only">{t(step.matched ? 'explain.counts' : 'explain.does_not_count')} </span>
                {step.note}
                {step.conditions !== undefined && step.conditions.length > 0 && (
                  <span className="text-muted block text-sm">
                    {step.conditions.map(({ at: pointer, outcome, why }, i) => {
                      const { icon: Sign, tone } = OUTCOMES[outcome]
                      return (
                        <span key={i} className="flex items-start gap-1.5">
                          <Sign aria-hidden className={classNames('mt-0.5 size-3.5 shrink-0', tone)} />
                          <span className="min-w-0 break-words">
                            {pointer !== '' && <code className="me-1.5 text-xs break-all">{nameOf(pointer)}</code>}
                            <span className={tone}>{t(`explain.outcome_${outcome}`)}</span> {why}
                          </span>
                        </span>
                      )
                    })}
                  </span>
                )}
              </span>
              {decides && <EffectWord effect={effect} />}
            </li>
          )
        })}
      </ol>
    </Panel>
  )
}

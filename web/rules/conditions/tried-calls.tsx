import { Check, Minus, Plus } from 'lucide-react'
import type { TriedCall } from '../../../contract/policy.ts'
import { Button } from '../../parts/controls/button.tsx'
import { RelativeTime } from '../../parts/feedback/relative-time.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { formatNumber } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'
import type { Arguments } from './spec-draft.ts'
import { nameOf } from './tool-arguments.ts'
import type { Tried } from './use-tried-rule.ts'

type Kind = 'match' | 'no_match'

interface TriedCallsProps {
  readonly tried: Tried
  /** Of the rule's subject: it is not known, or not running. */
  readonly missing: boolean
  onExample(kind: Kind, args: Arguments): void
}

/** Past calls that the rule would apply to, and others that it would not, with why. */
export function TriedCalls({ tried: { past }, missing, onExample }: TriedCallsProps) {
  if (missing) return null
  if (past === null) return <p className="text-muted">{t('rule_form.past_forbidden')}</p>
  if (past.calls === 0) return <p className="text-muted">{t('rule_form.past_none')}</p>
  return (
    <div className="space-y-3">
      <p role="status" className="font-medium">
        {t('rule_form.past_count', { count: past.applies, of: formatNumber(past.calls) })}
      </p>
      <div className="grid items-start gap-3 md:grid-cols-2">
        {(['match', 'no_match'] as const).map((kind) => (
          <div key={kind} className="min-w-0">
            <h4 className="mb-1.5 flex items-center gap-1.5 text-sm font-medium">
              {kind === 'match' ? (
                <Check aria-hidden className="text-accent size-4" />
              ) : (
                <Minus aria-hidden className="text-muted size-4" />
              )}
              {t(`rule_form.past_${kind}`)}
            </h4>
            <Panel>
              <ul aria-label={t(`rule_form.past_${kind}`)} className="divide-line divide-y">
                {past[kind].length === 0 && (
                  <li className="text-muted px-3 py-2 text-sm">{t('rule_form.past_no_such')}</li>
                )}
                {past[kind].map((call) => (
                  <PastCall key={call.tool_call_id} call={call} kind={kind} onExample={onExample} />
                ))}
              </ul>
            </Panel>
          </div>
        ))}
      </div>
      {past.unknown > 0 && <p className="text-muted text-sm">{t('rule_form.past_unknown', { count: past.unknown })}</p>}
      {past.partial && <p className="text-muted text-sm">{t('rule_form.past_partial')}</p>}
    </div>
  )
}

interface PastCallProps {
  readonly call: TriedCall
  readonly kind: Kind
  onExample(kind: Kind, args: Arguments): void
}

function PastCall({ call, kind, onExample }: PastCallProps) {
  const failed = call.conditions.find(({ outcome }) => outcome !== 'true')
  return (
    <li className="space-y-1 px-3 py-2">
      <code className="line-clamp-3 text-xs break-all">
        {call.arguments}
        {call.arguments_cut && '…'}
      </code>
      {kind === 'no_match' && failed !== undefined && (
        <p className="text-muted text-sm break-words">
          {failed.at !== '' && <code className="me-1 text-xs">{nameOf(failed.at)}</code>}
          {failed.why}
        </p>
      )}
      <p className="text-muted flex flex-wrap items-center gap-x-2 text-xs">
        <span>{call.username}</span>
        <RelativeTime at={call.at} />
        {call.calls > 1 && <span>{t('roles.simulation_calls', { count: call.calls })}</span>}
        {!call.arguments_cut && (
          <Button
            size="sm"
            variant="ghost"
            icon={Plus}
            className="ms-auto"
            onClick={() => onExample(kind, JSON.parse(call.arguments) as Arguments)}
          >
            {t('rule_form.use_example')}
          </Button>
        )}
      </p>
    </li>
  )
}

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { RefreshCw } from 'lucide-react'
import type { ModelFact } from '../../../contract/engines.ts'
import { call } from '../../client/api.ts'
import { formatNumber } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { SelectField } from '../../parts/controls/select-field.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { Notice } from '../../parts/feedback/notice.tsx'
import { RelativeTime } from '../../parts/feedback/relative-time.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { Section } from '../../parts/layout/section.tsx'
import { engineChanged, type EngineEntry } from './engine-query.ts'

/** What the models of a saved engine can do, where that is known from, and what an administrator says instead. */
export function ModelAbilities({ engine }: { readonly engine: EngineEntry }) {
  const { facts } = engine
  if (facts === undefined) return null
  return (
    <Section title={t('engine.abilities')}>
      <p className="text-muted mb-3 text-sm">{t('engine.abilities_text')}</p>
      <Panel>
        <ul aria-label={t('engine.abilities')} className="divide-line divide-y">
          {facts.map((one) => (
            <AbilitiesOf key={one.model} engine={engine} model={one.model} facts={one.facts} />
          ))}
        </ul>
      </Panel>
    </Section>
  )
}

interface AbilitiesProps {
  readonly engine: EngineEntry
  readonly model: string
  readonly facts: readonly ModelFact[]
}

function AbilitiesOf({ engine, model, facts }: AbilitiesProps) {
  const { engine_id } = engine
  const client = useQueryClient()
  const probe = useMutation({
    mutationFn: () => call('POST /api/admin/ai/engines/{engine_id}/probe', { params: { engine_id }, body: { model } }),
    onSuccess: () => engineChanged(client),
  })
  const set = useMutation({
    mutationFn: (values: { tools?: boolean | null; pictures?: boolean | null; context?: number | null }) =>
      call('PUT /api/admin/ai/engines/{engine_id}/facts', { params: { engine_id }, body: { model, ...values } }),
    onSuccess: () => engineChanged(client),
  })
  const fact = (name: ModelFact['fact']) => facts.find((one) => one.fact === name)
  const context = fact('context')
  return (
    <li className="space-y-4 px-4 py-4">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <h3 className="min-w-0 font-mono text-sm font-medium break-all">{model}</h3>
        <Button size="sm" icon={RefreshCw} busy={probe.isPending} onClick={() => probe.mutate()}>
          {t(facts.length === 0 ? 'engine.probe' : 'engine.probe_again')}
          <span className="sr-only"> {model}</span>
        </Button>
      </div>
      <div className="grid gap-4 sm:grid-cols-2">
        {(['tools', 'pictures'] as const).map((name) => (
          <SelectField
            key={name}
            label={t(`engine.can_${name}`)}
            value={chosen(fact(name))}
            onChange={(value) => set.mutate({ [name]: value === '' ? null : value === '1' })}
            options={[
              { value: '', label: t('engine.as_found') },
              { value: '1', label: t('engine.yes') },
              { value: '0', label: t('engine.no') },
            ]}
            disabled={set.isPending}
            hint={<Found fact={fact(name)} />}
          />
        ))}
      </div>
      <dl className="grid gap-x-4 gap-y-3 text-sm sm:grid-cols-2">
        {(['parallel', 'reasoning'] as const).map((name) => (
          <div key={name}>
            <dt className="font-medium">{t(`engine.can_${name}`)}</dt>
            <dd className="text-muted">
              <Found fact={fact(name)} />
            </dd>
          </div>
        ))}
        <div>
          <dt className="font-medium">{t('engine.can_context')}</dt>
          <dd className="text-muted">
            <Found fact={context} />
            {context?.source === 'set' ? (
              <Button size="sm" variant="ghost" busy={set.isPending} onClick={() => set.mutate({ context: null })}>
                {t('engine.as_found')}
              </Button>
            ) : (
              context !== undefined &&
              context.value < engine.context_tokens && (
                <Button
                  size="sm"
                  variant="ghost"
                  busy={set.isPending}
                  onClick={() => set.mutate({ context: engine.context_tokens })}
                >
                  {t('engine.context_anyway', { tokens: formatNumber(engine.context_tokens) })}
                </Button>
              )
            )}
          </dd>
        </div>
      </dl>
      <div aria-live="polite" className="space-y-3 empty:hidden">
        {probe.isError && <ErrorNotice title={t('engine.probe_failed')} error={probe.error} />}
        {set.isError && <ErrorNotice title={t('engine.not_saved')} error={set.error} />}
        {probe.data?.problem != null && (
          <Notice tone="warn" title={t('engine.probe_untried')}>
            {probe.data.problem}
          </Notice>
        )}
      </div>
    </li>
  )
}

function chosen(fact: ModelFact | undefined): string {
  return fact?.source === 'set' ? String(fact.value) : ''
}

/** A fact in words, with where it is known from. */
function Found({ fact }: { readonly fact: ModelFact | undefined }) {
  if (fact === undefined) return <>{t('engine.unknown')}</>
  const words = ({ source, value }: Pick<ModelFact, 'source' | 'value'>) =>
    t(`engine.fact_${source}`, {
      value: fact.fact === 'context' ? formatNumber(value) : t(value === 1 ? 'engine.yes' : 'engine.no'),
    })
  const { against } = fact
  return (
    <>
      {words(fact)} · <RelativeTime at={fact.found_at} />
      {against !== undefined && (
        <span className="text-warn block">
          {t('engine.found_otherwise', { found: words(against) })} · <RelativeTime at={against.found_at} />
        </span>
      )}
    </>
  )
}

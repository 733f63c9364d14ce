import { useMutation } from '@tanstack/react-query'
import { call } from '../../client/api.ts'
import { formatNumber } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { Notice } from '../../parts/feedback/notice.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import type { EngineEntry } from './engine-query.ts'
import { EngineTestResult } from './engine-test.tsx'

/** The engine set by environment variables: it can be viewed and tested here, not changed. */
export function EngineFacts({ engine }: { readonly engine: EngineEntry }) {
  const { engine_id, provider, base_url, model } = engine
  const test = useMutation({
    mutationFn: () => call('POST /api/admin/ai/test', { body: { provider, base_url, model, engine_id } }),
  })
  const facts: readonly (readonly [string, string])[] = [
    [t('engine.provider'), provider],
    [t('engine.address'), base_url ?? t('engine.address_default')],
    [t('engine.model'), model],
    [t('engine.key'), t(engine.api_key.configured ? 'engine.key_set' : 'engine.key_none')],
    [t('engine.context'), formatNumber(engine.context_tokens)],
  ]
  return (
    <div className="space-y-5">
      <Notice tone="info" title={t('engine.environment_title')}>
        {t('engine.environment_text')}
      </Notice>
      <Panel>
        <dl className="divide-line divide-y">
          {facts.map(([name, value]) => (
            <div key={name} className="grid gap-x-6 px-4 py-2.5 sm:grid-cols-[14rem_1fr]">
              <dt className="text-muted">{name}</dt>
              <dd className="min-w-0 font-mono text-sm break-words">{value}</dd>
            </div>
          ))}
        </dl>
      </Panel>
      <div aria-live="polite" className="empty:hidden">
        {test.isError && <ErrorNotice title={t('engine.test_failed')} error={test.error} />}
        {test.isSuccess && <EngineTestResult result={test.data} />}
      </div>
      <div className="flex justify-end">
        <Button busy={test.isPending} onClick={() => test.mutate()}>
          {t('engine.test')}
        </Button>
      </div>
    </div>
  )
}

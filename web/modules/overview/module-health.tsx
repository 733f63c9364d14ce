import { useQuery } from '@tanstack/react-query'
import { Activity } from 'lucide-react'
import type { ModuleHealth as Health } from '../../../contract/modules.ts'
import { call } from '../../client/api.ts'
import { formatDuration } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { RelativeTime } from '../../parts/feedback/relative-time.tsx'
import { SkeletonRows } from '../../parts/feedback/skeleton.tsx'
import { Status } from '../../parts/feedback/status.tsx'
import type { Tone } from '../../parts/feedback/tone.ts'

const TONE: Record<Health['status'], Tone> = {
  healthy: 'ok',
  degraded: 'warn',
  unhealthy: 'danger',
  disabled: 'neutral',
}

/** A health check of the module, run when this tab opens and on request. */
export function ModuleHealth({ name }: { readonly name: string }) {
  const query = useQuery({
    queryKey: ['module-health', name],
    queryFn: async ({ signal }) =>
      (await call('POST /api/modules/{module_name}/health', { params: { module_name: name }, signal })).health,
    staleTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  })
  return (
    <div className="space-y-4">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <div role="status" className="flex flex-wrap items-center gap-x-3">
          {query.data !== undefined && (
            <>
              <Status tone={TONE[query.data.status]} label={t(`modules.health_${query.data.status}`)} pill />
              <span className="text-muted text-sm">
                {t('modules.checked')} <RelativeTime at={query.data.checked_at} />
              </span>
            </>
          )}
        </div>
        <Button icon={Activity} busy={query.isFetching} onClick={() => void query.refetch()}>
          {t('modules.check_now')}
        </Button>
      </div>
      <QueryView
        query={query}
        failed={t('modules.health_failed')}
        loading={<SkeletonRows rows={3} className="h-14 rounded-lg" />}
      >
        {({ checks }) =>
          checks.length === 0 ? (
            <p className="text-muted">{t('modules.no_checks')}</p>
          ) : (
            <Panel>
              <ul className="divide-line divide-y">
                {checks.map(({ name: check, status, message, duration_ms: took, fix }) => (
                  <li key={check} className="px-4 py-3">
                    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
                      <span className="min-w-0 font-medium break-words">{check}</span>
                      <span className="flex items-center gap-3">
                        <span className="text-muted tabular text-sm">{formatDuration(took)}</span>
                        <Status tone={TONE[status]} label={t(`modules.health_${status}`)} />
                      </span>
                    </div>
                    {message !== '' && <p className="break-words whitespace-pre-line">{message}</p>}
                    {fix !== undefined && fix !== '' && (
                      <p className="text-muted break-words whitespace-pre-line">
                        {t('modules.fix')} {fix}
                      </p>
                    )}
                  </li>
                ))}
              </ul>
            </Panel>
          )
        }
      </QueryView>
    </div>
  )
}

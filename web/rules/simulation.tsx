import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { SimulatedCalls } from '../../contract/policy.ts'
import { call } from '../client/api.ts'
import { formatNumber } from '../text/format.ts'
import { t } from '../text/i18n.ts'
import type { Role } from './tool-rules.ts'
import { Notice } from '../parts/feedback/notice.tsx'
import { Panel } from '../parts/layout/panel.tsx'
import { QueryView } from '../parts/feedback/query-view.tsx'
import { RelativeTime } from '../parts/feedback/relative-time.tsx'
import { SkeletonRows } from '../parts/feedback/skeleton.tsx'
import { EffectWord } from './effect-word.tsx'

/** A role's past calls, evaluated with its unsaved rules. */
export function Simulation({ role, days }: { readonly role: Role; readonly days: number }) {
  const { role_id: roleId, rules } = role
  const query = useQuery({
    queryKey: ['roles', 'simulation', roleId, rules, days],
    queryFn: ({ signal }) =>
      call('POST /api/admin/policy/simulate', { body: { role_id: roleId, rules, days, limit: 100 }, signal }),
    placeholderData: keepPreviousData,
    staleTime: 0,
  })
  return (
    <QueryView
      query={query}
      failed={t('roles.simulation_failed')}
      loading={<SkeletonRows rows={3} className="h-12 rounded-lg" />}
    >
      {({ calls, changed, missing, partial, items }) => (
        <div className="space-y-3">
          <p role="status" className="font-medium">
            {calls === 0
              ? t('roles.simulation_none')
              : t('roles.simulation_result', { count: changed, of: formatNumber(calls) })}
          </p>
          {items.length > 0 && (
            <Panel>
              <ul aria-label={t('roles.simulation_list')} className="divide-line divide-y">
                {items.map((item) => (
                  <SimulatedLine key={`${item.module}.${item.tool} ${item.decided} ${item.given}`} item={item} />
                ))}
              </ul>
            </Panel>
          )}
          {missing > 0 && <p className="text-muted text-sm">{t('roles.simulation_missing', { count: missing })}</p>}
          {partial && <Notice tone="info">{t('roles.simulation_partial')}</Notice>}
        </div>
      )}
    </QueryView>
  )
}

function SimulatedLine({ item }: { readonly item: SimulatedCalls }) {
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5">
      <div className="min-w-0 flex-1 basis-48">
        <p className="font-medium break-words">{item.title}</p>
        <p className="text-muted font-mono text-xs break-all">
          {item.module}.{item.tool}
        </p>
      </div>
      <p className="flex flex-wrap items-center gap-x-2">
        <EffectWord effect={item.decided} />
        <span aria-hidden className="text-muted">
          →
        </span>
        <span className="sr-only">{t('roles.becomes')}</span>
        <EffectWord effect={item.given} />
      </p>
      <p className="text-muted tabular w-full text-sm sm:w-44 sm:text-right">
        {t('roles.simulation_calls', { count: item.calls })} · <RelativeTime at={item.last_at} />
        {item.saved === item.given && <span className="block">{t('roles.simulation_already')}</span>}
      </p>
    </li>
  )
}

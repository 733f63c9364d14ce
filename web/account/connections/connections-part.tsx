import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { ArrowLeft, Unplug } from 'lucide-react'
import { call } from '../../client/api.ts'
import { ConnectionControls } from '../../connections/connection-controls.tsx'
import { ReturnedNotice } from '../../connections/returned-notice.tsx'
import { t } from '../../text/i18n.ts'
import { EmptyState } from '../../parts/feedback/empty-state.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { SkeletonRows } from '../../parts/feedback/skeleton.tsx'
import { connectionsQuery } from '../account-queries.ts'

/** The modules that a person uses with accounts of their own. */
export function ConnectionsPart() {
  const query = useQuery(connectionsQuery)
  const queryClient = useQueryClient()
  const { from } = useSearch({ from: '/app/account' })
  const refresh = () => void queryClient.invalidateQueries({ queryKey: connectionsQuery.queryKey })
  return (
    <div className="max-w-2xl space-y-4">
      <p className="text-muted">{t('connections.text')}</p>
      {from !== undefined && (
        <Link
          to="/chat"
          search={{ c: from }}
          className="inline-flex h-7 items-center gap-1.5 rounded-md text-sm font-medium hover:underline"
        >
          <ArrowLeft aria-hidden className="size-3.5" />
          {t('connections.back')}
        </Link>
      )}
      <ReturnedNotice />
      <QueryView
        query={query}
        failed={t('connections.failed')}
        loading={<SkeletonRows rows={2} className="h-16 rounded-lg" />}
      >
        {(items) => (
          <Panel>
            {items.length === 0 ? (
              <EmptyState icon={Unplug} title={t('connections.none')} text={t('connections.none_text')} />
            ) : (
              <ul className="divide-line divide-y">
                {items.map(({ module, display_name: shown, problem, ...connection }) => (
                  <li key={module}>
                    <ConnectionControls
                      title={shown}
                      name={shown}
                      connection={connection}
                      problem={problem}
                      connect={() =>
                        call('POST /api/connections/{module_name}', {
                          params: { module_name: module },
                          query: from === undefined ? {} : { conversation_id: from },
                        })
                      }
                      disconnect={() =>
                        call('DELETE /api/connections/{module_name}', { params: { module_name: module } })
                      }
                      onChanged={refresh}
                    />
                  </li>
                ))}
              </ul>
            )}
          </Panel>
        )}
      </QueryView>
    </div>
  )
}

import { useInfiniteQuery } from '@tanstack/react-query'
import { SearchX } from 'lucide-react'
import { formatDateTime } from '../../text/format.ts'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { EmptyState } from '../../parts/feedback/empty-state.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { SkeletonRows } from '../../parts/feedback/skeleton.tsx'
import { countOf } from '../../parts/filters/filter-bar.tsx'
import { AuditFilters } from './audit-filters.tsx'
import { AuditRow } from './audit-row.tsx'
import { type AuditSearch, auditQuery } from './audit-query.ts'
import { SavedViews } from './saved-views.tsx'

interface AuditListProps {
  readonly search: AuditSearch
  onSearch(search: AuditSearch): void
}

/** The log by filters: the entries found so far. A search that stopped partway says where and continues from there. */
export function AuditList({ search, onSearch }: AuditListProps) {
  const query = useInfiniteQuery(auditQuery(search))
  return (
    <>
      <AuditFilters search={search} onChange={onSearch} count={countOf(query)} />
      <SavedViews search={search} onSearch={onSearch} />
      <QueryView
        query={query}
        failed={t('audit.failed')}
        loading={<SkeletonRows rows={8} className="h-12 rounded-lg" />}
      >
        {({ pages }) => {
          const entries = pages.flatMap(({ items }) => items)
          const reached = pages.at(-1)?.searched_to ?? null
          return (
            <div className="space-y-3">
              {entries.length > 0 && (
                <Panel>
                  <ul aria-label={t('audit.entries')} className="divide-line divide-y">
                    {entries.map((entry, at) => (
                      <AuditRow
                        key={entry.audit_id ?? `unchained ${at}`}
                        entry={entry}
                        search={search}
                        onSearch={onSearch}
                      />
                    ))}
                  </ul>
                </Panel>
              )}
              {entries.length === 0 && reached === null && (
                <Panel>
                  <EmptyState
                    icon={SearchX}
                    title={t('audit.none_found')}
                    actions={<Button onClick={() => onSearch({})}>{t('audit.show_all')}</Button>}
                  />
                </Panel>
              )}
              {query.isFetchNextPageError && <ErrorNotice title={t('audit.failed')} error={query.error} />}
              {query.hasNextPage && (
                <div className="flex flex-wrap items-center gap-3">
                  <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                    {t(search.q ? 'audit.search_on' : 'audit.more')}
                  </Button>
                  {search.q && reached !== null && (
                    <p role="status" className="text-muted">
                      {t('audit.searched_to', { date: formatDateTime(reached) })}
                    </p>
                  )}
                </div>
              )}
            </div>
          )
        }}
      </QueryView>
    </>
  )
}

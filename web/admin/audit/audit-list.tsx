import { useInfiniteQuery } from '@tanstack/react-query'
import { SearchX } from 'lucide-react'
import { formatDateTime } from '../../format.ts'
import { t } from '../../i18n.ts'
import { Button } from '../../parts/button.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { Panel } from '../../parts/panel.tsx'
import { QueryView } from '../../parts/query-view.tsx'
import { SkeletonRows } from '../../parts/skeleton.tsx'
import { AuditRow } from './audit-row.tsx'
import { type AuditSearch, auditQuery } from './audit-query.ts'

interface AuditListProps {
  readonly search: AuditSearch
  onSearch(search: AuditSearch): void
}

/** The entries that a search has found so far. A search that stopped on its way says where, and goes on from there. */
export function AuditList({ search, onSearch }: AuditListProps) {
  const query = useInfiniteQuery(auditQuery(search))
  return (
    <QueryView query={query} failed={t('audit.failed')} loading={<SkeletonRows rows={8} className="h-12 rounded-lg" />}>
      {({ pages }) => {
        const entries = pages.flatMap(({ items }) => items)
        const reached = pages.at(-1)?.searched_to ?? null
        return (
          <div className="space-y-3">
            {entries.length > 0 && (
              <Panel>
                <ul aria-label={t('audit.entries')} className="divide-line divide-y">
                  {entries.map((entry) => (
                    <AuditRow key={entry.audit_id} entry={entry} search={search} onSearch={onSearch} />
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
  )
}

import { useInfiniteQuery } from '@tanstack/react-query'
import { useLocation, useNavigate } from '@tanstack/react-router'
import { FileText } from 'lucide-react'
import { Button } from '../parts/controls/button.tsx'
import { EmptyState } from '../parts/feedback/empty-state.tsx'
import { ErrorNotice } from '../parts/feedback/error-notice.tsx'
import { countOf } from '../parts/filters/filter-bar.tsx'
import { QueryView } from '../parts/feedback/query-view.tsx'
import { SkeletonRows } from '../parts/feedback/skeleton.tsx'
import { Page } from '../parts/layout/page.tsx'
import { Panel } from '../parts/layout/panel.tsx'
import { t } from '../text/i18n.ts'
import { ChangeRow } from './change-row.tsx'
import { ChangesFilters } from './changes-filters.tsx'
import { changesQuery, type ChangesSearch, FILTERS } from './changes-query.ts'

/** What calls have changed: one's own, or everybody's for whoever may read the audit log; each opens in place. */
export function ChangesPage() {
  const given = useLocation({ select: (location) => location.search as Readonly<Record<string, unknown>> })
  const search: ChangesSearch = Object.fromEntries(
    FILTERS.flatMap((name) => (typeof given[name] === 'string' ? [[name, given[name]]] : [])),
  )
  const navigate = useNavigate()
  const onSearch = (next: ChangesSearch): void => {
    const kept = Object.entries(next).filter(([, value]) => value !== undefined && value !== '')
    void navigate({ to: '/approvals', replace: true, search: { view: 'changes', ...Object.fromEntries(kept) } })
  }
  const query = useInfiniteQuery(changesQuery(search))
  const first = query.data?.pages[0]
  return (
    <Page title={t('changes.title')}>
      <div className="space-y-4">
        <p className="text-muted max-w-prose">{t('changes.text', { days: first?.keep_days ?? 30 })}</p>
        <ChangesFilters search={search} all={first?.all === true} onChange={onSearch} count={countOf(query)} />
        <QueryView
          query={query}
          failed={t('changes.load_failed')}
          loading={<SkeletonRows rows={6} className="h-12 rounded-lg" />}
        >
          {({ pages }) => {
            const changes = pages.flatMap(({ items }) => items)
            return (
              <div className="space-y-3">
                <Panel>
                  {changes.length === 0 ? (
                    <EmptyState icon={FileText} title={t('changes.none')} text={t('changes.none_text')} />
                  ) : (
                    <ul aria-label={t('changes.title')} className="divide-line divide-y">
                      {changes.map((change) => (
                        <ChangeRow key={change.change_id} change={change} withPerson={first?.all === true} />
                      ))}
                    </ul>
                  )}
                </Panel>
                {query.isFetchNextPageError && <ErrorNotice title={t('changes.load_failed')} error={query.error} />}
                {query.hasNextPage && (
                  <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                    {t('audit.more')}
                  </Button>
                )}
              </div>
            )
          }}
        </QueryView>
      </div>
    </Page>
  )
}

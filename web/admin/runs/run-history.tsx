import { useInfiniteQuery } from '@tanstack/react-query'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { SkeletonRows } from '../../parts/feedback/skeleton.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { Section } from '../../parts/layout/section.tsx'
import { countOf } from '../../parts/filters/filter-bar.tsx'
import { HistoryFilters } from './history-filters.tsx'
import { PastRunRow } from './past-run-row.tsx'
import { pastRunsQuery, type RunSearch } from './runs-query.ts'

interface RunHistoryProps {
  readonly search: RunSearch
  onSearch(search: RunSearch): void
}

/** Runs of all users that have ended, newest first, by filters and page by page. */
export function RunHistory({ search, onSearch }: RunHistoryProps) {
  const query = useInfiniteQuery(pastRunsQuery(search))
  const models = new Set(query.data?.pages.flatMap(({ items }) => items.flatMap(({ model }) => model ?? [])))
  return (
    <Section title={t('runs.history')}>
      <div className="space-y-3">
        <HistoryFilters search={search} models={[...models]} onChange={onSearch} count={countOf(query)} />
        <QueryView query={query} failed={t('runs.history_failed')} loading={<SkeletonRows rows={6} className="h-9" />}>
          {({ pages }) => {
            const items = pages.flatMap((page) => page.items)
            return (
              <>
                {items.length === 0 ? (
                  <p className="text-muted">{t('runs.history_none')}</p>
                ) : (
                  <Panel>
                    <ul aria-label={t('runs.history')} className="divide-line divide-y">
                      {items.map((run) => (
                        <PastRunRow key={run.run_id} run={run} />
                      ))}
                    </ul>
                  </Panel>
                )}
                {query.isFetchNextPageError && <ErrorNotice title={t('runs.history_failed')} error={query.error} />}
                {query.hasNextPage && (
                  <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                    {t('audit.more')}
                  </Button>
                )}
              </>
            )
          }}
        </QueryView>
      </div>
    </Section>
  )
}

import type { UseInfiniteQueryResult } from '@tanstack/react-query'
import { FileText } from 'lucide-react'
import type { Output } from '../client/api-types.ts'
import { Button } from '../parts/controls/button.tsx'
import { EmptyState } from '../parts/feedback/empty-state.tsx'
import { ErrorNotice } from '../parts/feedback/error-notice.tsx'
import { QueryView } from '../parts/feedback/query-view.tsx'
import { SkeletonRows } from '../parts/feedback/skeleton.tsx'
import { Panel } from '../parts/layout/panel.tsx'
import { t } from '../text/i18n.ts'
import { ChangeRow } from './change-row.tsx'

interface ChangeListProps {
  readonly query: UseInfiniteQueryResult<{ readonly pages: readonly Output<'GET /api/changes'>[] }>
  /** Where there are none, of changes kept for so many days. */
  readonly none: (days: number) => { readonly title: string; readonly text: string }
}

/** Changes, newest first, each to be opened in place. */
export function ChangeList({ query, none }: ChangeListProps) {
  return (
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
                <EmptyState icon={FileText} {...none(pages[0]?.keep_days ?? 30)} />
              ) : (
                <ul aria-label={t('changes.title')} className="divide-line divide-y">
                  {changes.map((change) => (
                    <ChangeRow key={change.change_id} change={change} withPerson={pages[0]?.all === true} />
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
  )
}

import { useInfiniteQuery } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { Users } from 'lucide-react'
import { useEffect } from 'react'
import { call } from '../client/api.ts'
import { othersApprovalsQuery } from '../client/queries.ts'
import { Button } from '../parts/controls/button.tsx'
import { disarmAll } from '../parts/controls/use-armed.ts'
import { EmptyState } from '../parts/feedback/empty-state.tsx'
import { QueryView } from '../parts/feedback/query-view.tsx'
import { SkeletonRows } from '../parts/feedback/skeleton.tsx'
import { Page } from '../parts/layout/page.tsx'
import { t } from '../text/i18n.ts'
import { OthersCard } from './others-card.tsx'

/** Calls of others that wait for the user's vote, then those that the user has voted on. `#apr_…` links to one. */
export function OthersPage() {
  const query = useInfiniteQuery({
    queryKey: [...othersApprovalsQuery.queryKey, 'all'],
    queryFn: ({ pageParam, signal }) =>
      call('GET /api/approvals', {
        query: { for: 'others', limit: 50, ...(pageParam === null ? {} : { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  })
  const wanted = useLocation({ select: ({ hash }) => hash })
  const { isSuccess } = query
  useEffect(() => {
    if (isSuccess && wanted !== '') document.getElementById(wanted)?.scrollIntoView({ block: 'start' })
  }, [isSuccess, wanted])
  const shown = query.data?.pages.flatMap(({ items }) => items.map(({ approval_id: id }) => id)).join()
  // A card that comes or goes moves the buttons of the others under the pointer.
  useEffect(disarmAll, [shown])
  return (
    <Page title={t('votes.title')}>
      <div className="mx-auto max-w-3xl space-y-4">
        <p className="text-muted max-w-prose">{t('votes.text')}</p>
        <QueryView
          query={query}
          failed={t('approvals.load_failed')}
          loading={<SkeletonRows rows={2} className="h-56 rounded-lg" />}
        >
          {({ pages }) => {
            const cards = pages.flatMap(({ items }) => items)
            return cards.length === 0 ? (
              <div className="bg-surface border-line rounded-lg border">
                <EmptyState icon={Users} title={t('approvals.empty_title')} text={t('votes.empty_text')} />
              </div>
            ) : (
              <ul className="space-y-4">
                {cards.map((card) => (
                  <li key={card.approval_id}>
                    <OthersCard approval={card} wanted={card.approval_id === wanted} />
                  </li>
                ))}
              </ul>
            )
          }}
        </QueryView>
        {query.hasNextPage && (
          <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            {t('approvals.older')}
          </Button>
        )}
      </div>
    </Page>
  )
}

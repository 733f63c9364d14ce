import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { Users } from 'lucide-react'
import { useEffect } from 'react'
import { call } from '../client/api.ts'
import { othersApprovalsQuery } from '../client/queries.ts'
import { elevationsQuery } from '../elevation/elevation-query.ts'
import { OthersRequest } from '../elevation/others-requests.tsx'
import { disarmAll } from '../parts/controls/use-armed.ts'
import { EmptyState } from '../parts/feedback/empty-state.tsx'
import { PagedView } from '../parts/feedback/paged-view.tsx'
import { SkeletonRows } from '../parts/feedback/skeleton.tsx'
import { Page } from '../parts/layout/page.tsx'
import { t } from '../text/i18n.ts'
import { HandoversList } from './handovers-list.tsx'
import { OthersCard } from './others-card.tsx'
import { useOffersWaiting } from './use-pending-approvals.ts'

/**
 * Conversations on offer, roles that others ask for, and calls of theirs that wait for the user's vote, then those that the
 * user has voted on. `#apr_…` links to one.
 */
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
  const requests = useQuery(elevationsQuery).data?.items.filter(({ own }) => !own) ?? []
  const offers = useOffersWaiting()
  const wanted = useLocation({ select: ({ hash }) => hash })
  const { isSuccess } = query
  useEffect(() => {
    if (isSuccess && wanted !== '') document.getElementById(wanted)?.scrollIntoView({ block: 'start' })
  }, [isSuccess, wanted])
  const shown = [
    ...requests.map(({ elevation_id: id }) => id),
    ...(query.data?.pages.flatMap(({ items }) => items.map(({ approval_id: id }) => id)) ?? []),
  ].join()
  // A card that comes or goes moves the buttons of the others under the pointer.
  useEffect(disarmAll, [shown])
  return (
    <Page title={t('votes.title')}>
      <div className="mx-auto max-w-3xl space-y-4">
        <HandoversList />
        <PagedView
          query={query}
          failed={t('approvals.load_failed')}
          loading={<SkeletonRows rows={2} className="h-56 rounded-lg" />}
        >
          {(cards) => {
            const none = cards.length + requests.length === 0
            // An offer is enough to do.
            if (none && offers > 0) return null
            return (
              <>
                <p className="text-muted max-w-prose">{t('votes.text')}</p>
                {none ? (
                  <div className="bg-surface border-line rounded-lg border">
                    <EmptyState icon={Users} title={t('approvals.empty_title')} text={t('votes.empty_text')} />
                  </div>
                ) : (
                  <ul className="space-y-4">
                    {requests.map((request) => (
                      <li key={request.elevation_id}>
                        <OthersRequest elevation={request} />
                      </li>
                    ))}
                    {cards.map((card) => (
                      <li key={card.approval_id}>
                        <OthersCard approval={card} wanted={card.approval_id === wanted} />
                      </li>
                    ))}
                  </ul>
                )}
              </>
            )
          }}
        </PagedView>
      </div>
    </Page>
  )
}

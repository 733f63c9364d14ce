import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { ShieldCheck } from 'lucide-react'
import { lazy, Suspense, useEffect } from 'react'
import { call } from '../client/api.ts'
import { t } from '../text/i18n.ts'
import { ApprovalCard } from '../approvals/approval-card.tsx'
import { ApprovalsNav, type ApprovalsView } from '../approvals/approvals-nav.tsx'
import { Button } from '../parts/controls/button.tsx'
import { EmptyState } from '../parts/feedback/empty-state.tsx'
import { ErrorNotice } from '../parts/feedback/error-notice.tsx'
import { Notice } from '../parts/feedback/notice.tsx'
import { PagePending } from '../parts/feedback/page-pending.tsx'
import { Page, PageTabs } from '../parts/layout/page.tsx'
import { Section } from '../parts/layout/section.tsx'
import { SkeletonRows } from '../parts/feedback/skeleton.tsx'
import { pendingApprovalsQuery, type Approval } from '../client/queries.ts'
import { useStayingCards } from '../approvals/use-staying-cards.ts'

const GrantsList = lazy(async () => ({ default: (await import('../approvals/grants-list.tsx')).GrantsList }))
const ChangesPage = lazy(async () => ({ default: (await import('../changes/changes-page.tsx')).ChangesPage }))

const NoticesPage = lazy(async () => ({ default: (await import('../notices/notices-page.tsx')).NoticesPage }))
const OthersPage = lazy(async () => ({ default: (await import('../approvals/others-page.tsx')).OthersPage }))

/**
 * The inbox; with `?view=others` what others ask for, with `?view=notices` what the user has been told, with
 * `?view=changes` what calls have changed: each loads by itself.
 */
export function ApprovalsPage() {
  const view = useLocation({ select: ({ search }) => viewOf(search as { view?: unknown }) })
  return (
    <PageTabs value={<ApprovalsNav view={view} />}>
      {view === 'own' ? (
        <Inbox />
      ) : (
        <Suspense fallback={<PagePending />}>
          {view === 'changes' ? <ChangesPage /> : view === 'notices' ? <NoticesPage /> : <OthersPage />}
        </Suspense>
      )}
    </PageTabs>
  )
}

function viewOf({ view }: { readonly view?: unknown }): ApprovalsView {
  return view === 'changes' || view === 'notices' || view === 'others' ? view : 'own'
}

/** Pending cards, then closed ones. `#apr_…` links to one. */
function Inbox() {
  const pending = useQuery(pendingApprovalsQuery)
  const past = useInfiniteQuery({
    queryKey: ['approvals', 'all'],
    queryFn: ({ pageParam, signal }) =>
      call('GET /api/chat/approvals', {
        query: { limit: 50, ...(pageParam === null ? {} : { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  })
  const all = past.data?.pages.flatMap((page) => page.items)
  const waiting = useStayingCards(pending.data?.items, all)
  const waitingIds = new Set(waiting?.map((card) => card.approval_id))
  const closed = all?.filter((card) => card.status !== 'pending' && !waitingIds.has(card.approval_id))
  const wanted = useLocation({ select: (location) => location.hash })
  const loaded = waiting !== null && closed !== undefined
  useEffect(() => {
    if (loaded && wanted !== '') document.getElementById(wanted)?.scrollIntoView({ block: 'start' })
  }, [loaded, wanted])
  const missing =
    loaded &&
    wanted.startsWith('apr_') &&
    !waitingIds.has(wanted) &&
    !closed.some((card) => card.approval_id === wanted)
  const show = (card: Approval, step?: readonly Approval[]) => (
    <ApprovalCard
      approval={card}
      step={step}
      conversationHref={`/chat?c=${encodeURIComponent(card.conversation_id)}`}
      highlighted={card.approval_id === wanted}
    />
  )
  return (
    <Page title={t('nav.approvals')}>
      <div className="mx-auto max-w-3xl space-y-8">
        {missing && <Notice tone="info">{t('approvals.not_found')}</Notice>}
        <Section title={t('approvals.waiting')}>
          {pending.isError && (
            <ErrorNotice
              title={t('approvals.load_failed')}
              error={pending.error}
              onRetry={() => void pending.refetch()}
            />
          )}
          {pending.isPending && <SkeletonRows rows={2} className="h-56 rounded-lg" />}
          {waiting !== null && waiting.length > 0 && (
            <ul className="space-y-4">
              {waiting.map((card, index) => (
                <li key={card.approval_id} className="space-y-2">
                  {show(
                    card,
                    waiting[index + 1]?.run_id === card.run_id
                      ? undefined
                      : waiting.filter(({ run_id }) => run_id === card.run_id),
                  )}
                </li>
              ))}
            </ul>
          )}
          {waiting?.length === 0 && (
            <div className="bg-surface border-line rounded-lg border">
              <EmptyState
                icon={ShieldCheck}
                level={3}
                title={t('approvals.empty_title')}
                text={t('approvals.empty_text')}
              />
            </div>
          )}
        </Section>
        <Suspense fallback={null}>
          <GrantsList />
        </Suspense>
        <Section title={t('approvals.past')}>
          {past.isError && (
            <ErrorNotice title={t('approvals.load_failed')} error={past.error} onRetry={() => void past.refetch()} />
          )}
          {past.isPending && <SkeletonRows rows={3} className="h-11" />}
          {closed !== undefined && closed.length > 0 && (
            <ul className="space-y-2">
              {closed.map((card) => (
                <li key={card.approval_id}>{show(card)}</li>
              ))}
            </ul>
          )}
          {closed?.length === 0 && <p className="text-muted">{t('approvals.past_empty')}</p>}
          {past.hasNextPage && (
            <Button className="mt-3" busy={past.isFetchingNextPage} onClick={() => void past.fetchNextPage()}>
              {t('approvals.older')}
            </Button>
          )}
        </Section>
      </div>
    </Page>
  )
}

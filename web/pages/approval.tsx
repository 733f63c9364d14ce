import { useQuery } from '@tanstack/react-query'
import { Link, Navigate, useParams } from '@tanstack/react-router'
import { SearchX } from 'lucide-react'
import { call } from '../client/api.ts'
import { othersApprovalsQuery, pendingApprovalsQuery } from '../client/queries.ts'
import { EmptyState } from '../parts/feedback/empty-state.tsx'
import { ErrorNotice } from '../parts/feedback/error-notice.tsx'
import { PagePending } from '../parts/feedback/page-pending.tsx'
import { Page } from '../parts/layout/page.tsx'
import { Panel } from '../parts/layout/panel.tsx'
import { t } from '../text/i18n.ts'

/**
 * What messages link to: leads to the card, among the user's own or those of others. Nothing is decided by opening it.
 * Where it waits for nobody any more, or never was the user's, it says so.
 */
export function ApprovalPage() {
  const { id } = useParams({ from: '/app/approvals/$id' })
  // The newest of each are enough: links come with messages about cards that wait.
  const queries = [
    useQuery({ ...pendingApprovalsQuery, staleTime: 0 }),
    useQuery({ ...othersApprovalsQuery, staleTime: 0 }),
    useQuery({
      queryKey: ['approvals', 'newest'],
      queryFn: ({ signal }) => call('GET /api/chat/approvals', { query: { limit: 50 }, signal }),
    }),
    useQuery({
      queryKey: ['others-approvals', 'newest'],
      queryFn: ({ signal }) => call('GET /api/approvals', { query: { for: 'others', limit: 50 }, signal }),
    }),
  ] as const
  const [own, others, ownNewest, othersNewest] = queries.map((query) =>
    query.data?.items.some(({ approval_id }) => approval_id === id),
  )
  if (own === true || ownNewest === true) return <Navigate to="/approvals" hash={id} replace />
  if (others === true || othersNewest === true)
    return <Navigate to="/approvals" search={{ view: 'others' }} hash={id} replace />
  const failed = queries.find(({ isError }) => isError)
  if (failed === undefined && queries.some(({ isPending, isFetching }) => isPending || isFetching))
    return <PagePending />
  return (
    <Page title={t('nav.approvals')}>
      <div className="mx-auto max-w-3xl">
        {failed !== undefined ? (
          <ErrorNotice
            title={t('approvals.load_failed')}
            error={failed.error}
            onRetry={() => queries.forEach((query) => void query.refetch())}
          />
        ) : (
          <Panel>
            <EmptyState
              icon={SearchX}
              title={t('notices.gone')}
              text={t('notices.gone_text')}
              actions={
                <Link to="/approvals" className="text-accent underline underline-offset-2">
                  {t('nav.approvals')}
                </Link>
              }
            />
          </Panel>
        )}
      </div>
    </Page>
  )
}

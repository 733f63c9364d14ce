import { useInfiniteQuery } from '@tanstack/react-query'
import { Bell, CheckCheck } from 'lucide-react'
import { call } from '../client/api.ts'
import { Button } from '../parts/controls/button.tsx'
import { EmptyState } from '../parts/feedback/empty-state.tsx'
import { ErrorNotice } from '../parts/feedback/error-notice.tsx'
import { PagedView } from '../parts/feedback/paged-view.tsx'
import { SkeletonRows } from '../parts/feedback/skeleton.tsx'
import { Page } from '../parts/layout/page.tsx'
import { Panel } from '../parts/layout/panel.tsx'
import { t } from '../text/i18n.ts'
import { NoticeRow } from './notice-row.tsx'
import { useReading } from './notices-query.ts'

/** What the user has been told, newest first. */
export function NoticesPage() {
  const query = useInfiniteQuery({
    queryKey: ['notices', 'all'],
    queryFn: ({ pageParam, signal }) =>
      call('GET /api/notices', { query: { limit: 50, ...(pageParam !== null && { cursor: pageParam }) }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    staleTime: 0,
  })
  const reading = useReading()
  const [first] = query.data?.pages ?? []
  const newest = first?.items[0]
  return (
    <Page title={t('notices.list')}>
      <div className="mx-auto max-w-3xl space-y-4">
        <div className="flex flex-wrap items-center justify-between gap-3">
          <p className="text-muted max-w-prose">{t('notices.list_text')}</p>
          {newest !== undefined && (first?.unread ?? 0) > 0 && (
            <Button
              icon={CheckCheck}
              busy={reading.isPending}
              onClick={() => reading.mutate({ until: newest.notice_id })}
            >
              {t('notices.read_all')}
            </Button>
          )}
        </div>
        {reading.isError && <ErrorNotice title={t('notices.not_read')} error={reading.error} />}
        <PagedView
          query={query}
          failed={t('notices.list_failed')}
          loading={<SkeletonRows rows={3} className="h-12 rounded-lg" />}
        >
          {(items) => (
            <Panel>
              {items.length === 0 ? (
                <EmptyState icon={Bell} title={t('notices.none')} text={t('notices.none_text')} />
              ) : (
                <ul aria-label={t('notices.list')} className="divide-line divide-y">
                  {items.map((notice) => (
                    <NoticeRow key={notice.notice_id} notice={notice} />
                  ))}
                </ul>
              )}
            </Panel>
          )}
        </PagedView>
      </div>
    </Page>
  )
}

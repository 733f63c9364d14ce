import { useQuery } from '@tanstack/react-query'
import { ChannelList } from '../../admin/notifications/channel-list.tsx'
import { channelsQuery, noticeRulesQuery } from '../../admin/notifications/channels-query.ts'
import { DeliveriesList } from '../../admin/notifications/deliveries-list.tsx'
import { NoticeRules } from '../../admin/notifications/notice-rules.tsx'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { SkeletonRows } from '../../parts/feedback/skeleton.tsx'
import { Page } from '../../parts/layout/page.tsx'
import { t } from '../../text/i18n.ts'

/** How people are told who look at no page: over which channels, who else, and what became of it. */
export function NotificationsPage() {
  const channels = useQuery(channelsQuery)
  const rules = useQuery(noticeRulesQuery)
  return (
    <Page title={t('notices.title')}>
      <div className="max-w-3xl space-y-8">
        <p className="text-muted max-w-prose">{t('channels.text')}</p>
        <QueryView
          query={channels}
          failed={t('channels.load_failed')}
          loading={<SkeletonRows rows={3} className="h-20 rounded-lg" />}
        >
          {({ items }) => (
            <>
              <ChannelList channels={items} />
              <QueryView
                query={rules}
                failed={t('channels.load_failed')}
                loading={<SkeletonRows rows={1} className="h-20 rounded-lg" />}
              >
                {({ items: stored }) => (
                  <NoticeRules
                    key={stored.map(({ rule_id }) => rule_id).join()}
                    stored={stored}
                    channels={items.filter(({ kind, target }) => kind !== 'smtp' || target !== null)}
                  />
                )}
              </QueryView>
              <DeliveriesList />
            </>
          )}
        </QueryView>
      </div>
    </Page>
  )
}

import { useQuery } from '@tanstack/react-query'
import { UserRoundCog } from 'lucide-react'
import { VotesLine } from '../approvals/votes-line.tsx'
import { ApprovalExpiry } from '../approvals/approval-expiry.tsx'
import { Button } from '../parts/controls/button.tsx'
import { EmptyState } from '../parts/feedback/empty-state.tsx'
import { ErrorNotice } from '../parts/feedback/error-notice.tsx'
import { QueryView } from '../parts/feedback/query-view.tsx'
import { RelativeTime } from '../parts/feedback/relative-time.tsx'
import { SkeletonRows } from '../parts/feedback/skeleton.tsx'
import { Panel } from '../parts/layout/panel.tsx'
import { formatDuration } from '../text/format.ts'
import { t } from '../text/i18n.ts'
import { elevationsQuery } from './elevation-query.ts'
import { ElevationStatus } from './elevation-status.tsx'
import { RequestForm } from './request-form.tsx'
import { useEndElevation } from './use-end-elevation.ts'

const MINUTE_MS = 60_000

/** The user's requests for a role for a while, and the form for another while none is open. */
export function OwnRequests() {
  const query = useQuery(elevationsQuery)
  const end = useEndElevation()
  return (
    <div className="max-w-2xl space-y-6">
      <p className="text-muted">{t('elevation.text')}</p>
      <QueryView
        query={query}
        failed={t('elevation.load_failed')}
        loading={<SkeletonRows rows={3} className="h-16 rounded-lg" />}
      >
        {({ items, roles }) => {
          const own = items.filter((item) => item.own)
          const open = own.some(({ may_end: may }) => may)
          return (
            <>
              {!open && roles.length > 0 && <RequestForm roles={roles} />}
              {!open && roles.length === 0 && (
                <Panel>
                  <EmptyState icon={UserRoundCog} title={t('elevation.none')} text={t('elevation.none_text')} />
                </Panel>
              )}
              {end.isError && <ErrorNotice title={t('elevation.end_failed')} error={end.error} />}
              {own.length > 0 && (
                <Panel>
                  <ul aria-label={t('elevation.mine')} className="divide-line divide-y">
                    {own.map((item) => (
                      <li key={item.elevation_id} className="space-y-2 px-4 py-3">
                        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
                          <span className="min-w-0 flex-1 basis-40 font-medium break-words">
                            {t('elevation.for_time', {
                              role: item.role,
                              time: formatDuration(item.minutes * MINUTE_MS),
                            })}
                          </span>
                          <ElevationStatus elevation={item} />
                          <RelativeTime at={item.closed_at ?? item.requested_at} className="text-muted text-sm" />
                        </div>
                        <p className="text-muted text-sm break-words whitespace-pre-wrap">{item.reason}</p>
                        {item.status === 'requested' && (
                          <>
                            <VotesLine approval={item} />
                            <ApprovalExpiry expiresAt={item.ends_at} />
                          </>
                        )}
                        {item.may_end && (
                          <div>
                            <Button size="sm" busy={end.isPending} onClick={() => end.mutate(item.elevation_id)}>
                              {t(item.status === 'active' ? 'elevation.end' : 'elevation.withdraw')}
                            </Button>
                          </div>
                        )}
                      </li>
                    ))}
                  </ul>
                </Panel>
              )}
            </>
          )
        }}
      </QueryView>
    </div>
  )
}

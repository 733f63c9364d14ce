import type { Elevation } from '../../contract/elevations.ts'
import { ApprovalActions } from '../approvals/approval-actions.tsx'
import { ApprovalExpiry } from '../approvals/approval-expiry.tsx'
import type { Decision } from '../approvals/use-decision.ts'
import { VotesLine } from '../approvals/votes-line.tsx'
import { call } from '../client/api.ts'
import { classNames } from '../parts/class-names.ts'
import { Button } from '../parts/controls/button.tsx'
import { ErrorNotice } from '../parts/feedback/error-notice.tsx'
import { RelativeTime } from '../parts/feedback/relative-time.tsx'
import { formatDuration } from '../text/format.ts'
import { t } from '../text/i18n.ts'
import { ElevationStatus } from './elevation-status.tsx'
import { useTimeLeft } from './time-left.ts'
import { useEndElevation } from './use-end-elevation.ts'

const MINUTE_MS = 60_000
/** As a vote on a card is announced. */
const SAID = {
  requested: 'pending',
  active: 'approved',
  denied: 'denied',
  expired: 'expired',
  ended: 'cancelled',
} as const

/** Somebody else's request for a role, made for deciding: who, which role, how long, what for, and who has agreed. */
export function OthersRequest({ elevation }: { readonly elevation: Elevation }) {
  const { elevation_id: id, asked_by: asker, role, minutes, status, decisions, reason } = elevation
  const end = useEndElevation()
  const open = decisions.includes('approve')
  const headingId = `${id}-title`
  return (
    <article
      id={id}
      aria-labelledby={headingId}
      className={classNames(
        'bg-surface scroll-mt-20 rounded-lg border',
        open ? 'border-warn/40 shadow-sm' : 'border-line',
      )}
    >
      <header
        className={classNames(
          'flex flex-wrap items-center gap-x-3 gap-y-1 rounded-t-lg px-4 py-2 text-base',
          open && 'bg-warn-soft',
        )}
      >
        <ElevationStatus elevation={elevation} />
        <h3 id={headingId} className="min-w-0 flex-1 basis-40 font-semibold break-words">
          {t('elevation.for_time', { role, time: formatDuration(minutes * MINUTE_MS) })}
        </h3>
        {elevation.closed_at !== null && <RelativeTime at={elevation.closed_at} className="text-muted text-sm" />}
      </header>
      <div className="space-y-2.5 px-4 py-3">
        <p className="text-sm break-words" title={asker.username}>
          {t('elevation.asks', { name: asker.name, role: asker.role })}
        </p>
        <p className="bg-sunken border-line rounded-md border px-3 py-2 break-words whitespace-pre-wrap">{reason}</p>
        <VotesLine approval={elevation} />
        {status === 'requested' && <ApprovalExpiry expiresAt={elevation.ends_at} />}
        {status === 'active' && <Left until={elevation.ends_at} />}
        {end.isError && <ErrorNotice title={t('elevation.end_failed')} error={end.error} />}
        {elevation.may_end && status === 'active' && (
          <div>
            <Button size="sm" busy={end.isPending} onClick={() => end.mutate(id)}>
              {t('elevation.end')}
            </Button>
          </div>
        )}
      </div>
      {decisions.length > 0 && (
        <ApprovalActions
          approval={{ approval_id: id, effect: 'write', decisions }}
          send={vote}
          onDecided={() => undefined}
        />
      )}
    </article>
  )
}

function Left({ until }: { readonly until: string }) {
  const left = useTimeLeft(until)
  return left === null ? null : <p className="text-sm tabular-nums">{t('elevation.left', { time: left })}</p>
}

async function vote(elevation_id: string, { decision, reason }: Decision) {
  const body = { decision: decision === 'deny' ? ('deny' as const) : ('approve' as const), ...(reason && { reason }) }
  const { elevation } = await call('POST /api/elevations/{elevation_id}/votes', { params: { elevation_id }, body })
  return { status: SAID[elevation.status] }
}

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleCheck } from 'lucide-react'
import { t } from '../text/i18n.ts'
import { ApprovalExpiry } from '../approvals/approval-expiry.tsx'
import { Badge } from '../parts/feedback/badge.tsx'
import { EffectBadge } from '../parts/feedback/effect-badge.tsx'
import { Panel } from '../parts/layout/panel.tsx'
import { QueryView } from '../parts/feedback/query-view.tsx'
import { Section } from '../parts/layout/section.tsx'
import { SkeletonRows } from '../parts/feedback/skeleton.tsx'
import { pendingApprovalsQuery } from '../client/queries.ts'

const SHOWN = 5

/** The first pending approvals. They are decided in the inbox, which shows all their details. */
export function WaitingApprovals() {
  const query = useQuery(pendingApprovalsQuery)
  const count = query.data?.items.length ?? 0
  return (
    <Section
      title={t('dashboard.approvals')}
      actions={
        count > 0 && (
          <span className="flex items-center gap-3">
            <Badge tone="warn">{count}</Badge>
            <Link to="/approvals" className="text-accent font-medium underline-offset-2 hover:underline">
              {t('dashboard.approvals_all')}
            </Link>
          </span>
        )
      }
    >
      <QueryView query={query} failed={t('approvals.load_failed')} loading={<SkeletonRows rows={1} className="h-14" />}>
        {({ items }) =>
          items.length === 0 ? (
            <Panel className="text-muted flex items-center gap-2.5 px-4 py-3.5">
              <CircleCheck aria-hidden className="text-ok size-4 shrink-0" />
              {t('dashboard.approvals_empty')}
            </Panel>
          ) : (
            <Panel>
              <ul className="divide-line divide-y">
                {items
                  .slice(-SHOWN)
                  .reverse()
                  .map((card) => (
                    <li key={card.approval_id}>
                      <Link
                        to="/approvals"
                        hash={card.approval_id}
                        className="hover:bg-hover flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3 focus-visible:outline-offset-[-2px]"
                      >
                        <span className="min-w-0 flex-1 basis-48">
                          <span className="block truncate font-medium">{card.title}</span>
                          <span className="text-muted block truncate text-sm">
                            {card.summary === '' ? `${card.module}.${card.tool}` : card.summary}
                          </span>
                        </span>
                        <EffectBadge effect={card.effect} />
                        <span className="text-muted text-sm">
                          <ApprovalExpiry expiresAt={card.expires_at} />
                        </span>
                      </Link>
                    </li>
                  ))}
              </ul>
            </Panel>
          )
        }
      </QueryView>
    </Section>
  )
}

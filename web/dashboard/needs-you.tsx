import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { CircleCheck } from 'lucide-react'
import type { Dashboard, DashboardWarning } from '../../contract/dashboard.ts'
import type { ModuleState as State } from '../../contract/modules.ts'
import type { Notice } from '../../contract/notices.ts'
import { isForMe, useElevationsWaiting, useOthersWaiting } from '../approvals/use-pending-approvals.ts'
import { pendingApprovalsQuery } from '../client/queries.ts'
import { NoticeRow } from '../notices/notice-row.tsx'
import { unreadNoticesQuery } from '../notices/notices-query.ts'
import { ModuleState } from '../modules/list/module-state.tsx'
import { formatNumber } from '../text/format.ts'
import { t } from '../text/i18n.ts'
import { Badge } from '../parts/feedback/badge.tsx'
import { Panel } from '../parts/layout/panel.tsx'
import { QueryView } from '../parts/feedback/query-view.tsx'
import { Section } from '../parts/layout/section.tsx'
import { SkeletonRows } from '../parts/feedback/skeleton.tsx'
import { WaitingApprovals } from './waiting-approvals.tsx'
import { WarningRow } from './warning-row.tsx'

/** These have a warning that names them. */
const WARNED: readonly string[] = ['failed', 'retrying', 'degraded', 'needs_review']

/** Everything for this person: approvals, notices not read yet, warnings, modules in trouble, each with its way out. */
export function NeedsYou({ state }: { readonly state: Dashboard | undefined }) {
  const query = useQuery(pendingApprovalsQuery)
  const notices = useQuery(unreadNoticesQuery).data
  const warnings = (state?.warnings ?? []).filter((warning) => !isTold(warning, notices?.items ?? []))
  const modules = (state?.modules?.trouble ?? []).filter((module) => !WARNED.includes(module.state))
  const others = warnings.length + modules.length
  const cards = [...useOthersWaiting(), ...(query.data?.items ?? []).filter(isForMe)]
  const elevations = useElevationsWaiting()
  const told = notices?.unread ?? 0
  const count = cards.length + elevations + others + told
  return (
    <Section
      title={t('dashboard.needs_you')}
      actions={
        count > 0 && (
          <span className="flex items-center gap-3">
            <Badge tone="warn">{formatNumber(count)}</Badge>
            {cards.length + elevations > 0 && (
              <Link to="/approvals" className="text-accent font-medium underline-offset-2 hover:underline">
                {t('dashboard.approvals_all')}
              </Link>
            )}
          </span>
        )
      }
    >
      <QueryView query={query} failed={t('approvals.load_failed')} loading={<SkeletonRows rows={1} className="h-9" />}>
        {() =>
          count === 0 ? (
            <p className="text-muted flex items-center gap-2">
              <CircleCheck aria-hidden className="text-ok size-4 shrink-0" />
              {t('dashboard.approvals_empty')}
            </p>
          ) : (
            <Panel>
              <ul className="divide-line divide-y">
                <WaitingApprovals cards={cards} />
                {elevations > 0 && (
                  <li>
                    <Link
                      to="/approvals"
                      search={{ view: 'others' }}
                      className="hover:bg-hover block px-3 py-2 font-medium break-words focus-visible:outline-offset-[-2px]"
                    >
                      {t('elevation.waiting', { count: elevations })}
                    </Link>
                  </li>
                )}
                {notices?.items.map((notice) => (
                  <NoticeRow key={notice.notice_id} notice={notice} />
                ))}
                {notices !== undefined && told > notices.items.length && (
                  <li>
                    <Link
                      to="/approvals"
                      search={{ view: 'notices' }}
                      className="hover:bg-hover text-accent block px-3 py-2 font-medium focus-visible:outline-offset-[-2px]"
                    >
                      {t('notices.more', { count: told - notices.items.length })}
                    </Link>
                  </li>
                )}
                {warnings.map((warning) => (
                  <WarningRow key={`${warning.code} ${warning.value}`} warning={warning} />
                ))}
                {modules.map(({ name, title, state: moduleState }) => (
                  <li key={name}>
                    <Link
                      to="/modules/$name"
                      params={{ name }}
                      className="hover:bg-hover flex flex-wrap items-center justify-between gap-x-3 px-3 py-2 focus-visible:outline-offset-[-2px]"
                    >
                      <span className="min-w-0 font-medium break-words">{title}</span>
                      <ModuleState state={moduleState as State} />
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

/** A watch that is crossed is there once: as long as its notice is not read, that is it. */
function isTold({ code, value }: DashboardWarning, notices: readonly Notice[]): boolean {
  return code === 'watch_crossed' && notices.some(({ event, name }) => event === 'watch_crossed' && name === value)
}

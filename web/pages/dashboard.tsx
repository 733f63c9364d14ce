import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { SquarePen } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { sessionQuery } from '../client/queries.ts'
import { DashboardCommands } from '../commands/dashboard-commands.tsx'
import { ActiveRuns } from '../dashboard/active-runs.tsx'
import { dashboardQuery, hostFiguresQuery } from '../dashboard/dashboard-query.ts'
import { EngineState } from '../dashboard/engine-state.tsx'
import { MachineStrip } from '../dashboard/machine-strip.tsx'
import { NeedsYou } from '../dashboard/needs-you.tsx'
import { RecentConversations } from '../dashboard/recent-conversations.tsx'
import { StorageSize } from '../dashboard/storage-size.tsx'
import { UsageLimits, UsageSection } from '../dashboard/usage-section.tsx'
import { t } from '../text/i18n.ts'
import { Page } from '../parts/layout/page.tsx'
import { QueryView } from '../parts/feedback/query-view.tsx'
import { Skeleton, SkeletonRows } from '../parts/feedback/skeleton.tsx'

/** Where there is more than the one machine that Reeve runs on. */
const MachineTable = lazy(async () => ({ default: (await import('../dashboard/machine-table.tsx')).MachineTable }))

/** The dashboard: the machine in figures, what needs this person, what runs, and what they did last. */
export function DashboardPage() {
  const state = useQuery(dashboardQuery)
  const admin = useQuery(sessionQuery).data?.user.admin === true
  const known = state.data
  const machines = useQuery(hostFiguresQuery).data?.items ?? []
  return (
    <Page
      title={t('nav.dashboard')}
      actions={
        <Link
          to="/chat"
          search={{ new: true }}
          className="bg-accent text-on-accent hover:bg-accent-hover inline-flex h-9 items-center gap-2 rounded-md px-3.5 font-medium whitespace-nowrap"
        >
          <SquarePen aria-hidden className="size-4" />
          {t('dashboard.new_chat')}
        </Link>
      }
    >
      <div className="space-y-6">
        {admin && known === undefined && <Skeleton className="h-28 w-full rounded-lg" />}
        {known?.machine && <MachineStrip machine={known.machine} engine={known.engine} runs={known.live_runs ?? 0} />}
        {machines.length > 1 && (
          <Suspense fallback={<Skeleton className="h-40 w-full rounded-lg" />}>
            <MachineTable machines={machines} admin={admin} />
          </Suspense>
        )}
        <div className="grid gap-x-8 gap-y-6 lg:grid-cols-2">
          <div className="min-w-0 space-y-6">
            <NeedsYou state={known} />
            <ActiveRuns others={known?.live_runs ?? null} />
            <DashboardCommands />
          </div>
          <div className="min-w-0 space-y-6">
            <RecentConversations />
            {known && <UsageLimits usage={known.usage} />}
            {!admin && <EngineState />}
          </div>
        </div>
        <details>
          <summary className="text-muted hover:text-ink w-fit font-medium">
            {t(admin ? 'dashboard.usage_and_storage' : 'dashboard.usage_mine')}
          </summary>
          <div className="grid gap-x-8 gap-y-6 pt-4 lg:grid-cols-[minmax(0,1fr)_19rem]">
            <QueryView
              query={state}
              failed={t('dashboard.state_failed')}
              loading={<SkeletonRows rows={1} className="h-72 rounded-lg" />}
            >
              {({ usage }) => <UsageSection usage={usage} />}
            </QueryView>
            {known?.modules && <StorageSize storage={known.storage} />}
          </div>
        </details>
      </div>
    </Page>
  )
}

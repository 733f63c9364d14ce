import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { SquarePen } from 'lucide-react'
import { DashboardCommands } from '../commands/dashboard-commands.tsx'
import { ActiveRuns } from '../dashboard/active-runs.tsx'
import { dashboardQuery } from '../dashboard/dashboard-query.ts'
import { EngineState } from '../dashboard/engine-state.tsx'
import { ModuleTrouble } from '../dashboard/module-trouble.tsx'
import { RecentConversations } from '../dashboard/recent-conversations.tsx'
import { StorageSize } from '../dashboard/storage-size.tsx'
import { UsageSection } from '../dashboard/usage-section.tsx'
import { WaitingApprovals } from '../dashboard/waiting-approvals.tsx'
import { WarningList } from '../dashboard/warning-list.tsx'
import { t } from '../text/i18n.ts'
import { Page } from '../parts/layout/page.tsx'
import { QueryView } from '../parts/feedback/query-view.tsx'
import { SkeletonRows } from '../parts/feedback/skeleton.tsx'

/** The dashboard: what needs attention, active runs, system status, and recent conversations. */
export function DashboardPage() {
  const state = useQuery(dashboardQuery)
  const known = state.data
  return (
    <Page
      title={t('dashboard.title')}
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
      <div className="grid gap-x-8 gap-y-8 lg:grid-cols-[minmax(0,1fr)_19rem]">
        <div className="min-w-0 space-y-8">
          {known && <WarningList warnings={known.warnings} />}
          <WaitingApprovals />
          <ActiveRuns others={known?.live_runs ?? null} />
          <DashboardCommands />
          <RecentConversations />
          <QueryView
            query={state}
            failed={t('dashboard.state_failed')}
            loading={<SkeletonRows rows={1} className="h-72 rounded-lg" />}
          >
            {({ usage }) => <UsageSection usage={usage} />}
          </QueryView>
        </div>
        <div className="min-w-0 space-y-8">
          <EngineState />
          {known?.modules && <ModuleTrouble modules={known.modules} />}
          {known?.modules && <StorageSize storage={known.storage} />}
        </div>
      </div>
    </Page>
  )
}

import { Link } from '@tanstack/react-router'
import { SquarePen } from 'lucide-react'
import { DashboardCommands } from '../commands/dashboard-commands.tsx'
import { ActiveRuns } from '../dashboard/active-runs.tsx'
import { EngineState } from '../dashboard/engine-state.tsx'
import { RecentConversations } from '../dashboard/recent-conversations.tsx'
import { WaitingApprovals } from '../dashboard/waiting-approvals.tsx'
import { t } from '../i18n.ts'
import { Page } from '../parts/page.tsx'

/** What needs the person first, what runs, and the way back into recent work. */
export function DashboardPage() {
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
      <div className="grid gap-x-8 gap-y-8 lg:grid-cols-[minmax(0,1fr)_18rem]">
        <div className="min-w-0 space-y-8">
          <WaitingApprovals />
          <ActiveRuns />
          <DashboardCommands />
          <RecentConversations />
        </div>
        <EngineState />
      </div>
    </Page>
  )
}

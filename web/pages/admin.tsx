import { useQuery } from '@tanstack/react-query'
import { Navigate, useParams } from '@tanstack/react-router'
import { type ComponentType, lazy, Suspense, useEffect } from 'react'
import { AdminNav, adminPageName } from '../admin/admin-nav.tsx'
import { sessionQuery } from '../client/queries.ts'
import { AdminsOnly } from '../modules/admins-only.tsx'
import { PagePending } from '../parts/feedback/page-pending.tsx'
import { PageTabs } from '../parts/layout/page.tsx'
import { NotFound } from './not-found.tsx'

/** The administration pages by the last segment of their path; each loads separately. */
const PAGES: Readonly<Partial<Record<string, ComponentType>>> = {
  users: lazy(async () => ({ default: (await import('./admin/users.tsx')).UsersPage })),
  roles: lazy(async () => ({ default: (await import('./admin/roles.tsx')).RolesPage })),
  hosts: lazy(async () => ({ default: (await import('./admin/hosts.tsx')).HostsPage })),
  audit: lazy(async () => ({ default: (await import('./admin/audit.tsx')).AuditPage })),
  ai: lazy(async () => ({ default: (await import('./admin/engine.tsx')).EnginePage })),
  limits: lazy(async () => ({ default: (await import('./admin/limits.tsx')).LimitsPage })),
  notifications: lazy(async () => ({ default: (await import('./admin/notifications.tsx')).NotificationsPage })),
  clients: lazy(async () => ({ default: (await import('./admin/clients.tsx')).ClientsPage })),
  runs: lazy(async () => ({ default: (await import('./admin/runs.tsx')).RunsPage })),
}

/** One page of the administration, for administrators; the audit log also for whoever may read it. */
export function AdminPage() {
  const { page } = useParams({ from: '/app/admin/$page' })
  const Content = PAGES[page]
  useEffect(() => {
    document.getElementById('content')?.scrollTo({ top: 0 })
  }, [page])
  const user = useQuery(sessionQuery).data?.user
  if (Content === undefined) return <NotFound />
  const reader = user?.admin === false && user.permissions['audit.read'] === 'allow'
  // Where the navigation leads.
  if (reader && page === 'users') return <Navigate to="/admin/$page" params={{ page: 'audit' }} replace />
  const content = (
    <PageTabs value={<AdminNav pages={reader ? ['audit'] : Object.keys(PAGES)} />}>
      <Suspense fallback={<PagePending />}>
        <Content key={page} />
      </Suspense>
    </PageTabs>
  )
  return reader && page === 'audit' ? content : <AdminsOnly title={adminPageName(page)}>{content}</AdminsOnly>
}

import { useParams } from '@tanstack/react-router'
import { type ComponentType, lazy, Suspense, useEffect } from 'react'
import { AdminNav } from '../admin/admin-nav.tsx'
import { t } from '../text/i18n.ts'
import { AdminsOnly } from '../modules/admins-only.tsx'
import { PagePending } from '../parts/feedback/page-pending.tsx'
import { PageTabs } from '../parts/layout/page.tsx'
import { NotFoundPage } from './not-found.tsx'

/** The administration pages by the last segment of their path; each loads separately. */
const PAGES: Readonly<Partial<Record<string, ComponentType>>> = {
  users: lazy(async () => ({ default: (await import('./admin/users.tsx')).UsersPage })),
  roles: lazy(async () => ({ default: (await import('./admin/roles.tsx')).RolesPage })),
  audit: lazy(async () => ({ default: (await import('./admin/audit.tsx')).AuditPage })),
  ai: lazy(async () => ({ default: (await import('./admin/engine.tsx')).EnginePage })),
  limits: lazy(async () => ({ default: (await import('./admin/limits.tsx')).LimitsPage })),
  runs: lazy(async () => ({ default: (await import('./admin/runs.tsx')).RunsPage })),
}

/** One page of the administration, for administrators only. */
export function AdminPage() {
  const { page } = useParams({ from: '/app/admin/$page' })
  const Content = PAGES[page]
  useEffect(() => {
    document.getElementById('content')?.scrollTo({ top: 0 })
  }, [page])
  if (Content === undefined) return <NotFoundPage />
  return (
    <AdminsOnly title={t('admin.title')}>
      <PageTabs value={<AdminNav pages={Object.keys(PAGES)} />}>
        <Suspense fallback={<PagePending />}>
          <Content key={page} />
        </Suspense>
      </PageTabs>
    </AdminsOnly>
  )
}

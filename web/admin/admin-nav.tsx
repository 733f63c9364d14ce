import { TabLinks } from '../parts/controls/tab-links.tsx'
import { type MessageKey, t } from '../text/i18n.ts'

/** The administration pages in order, by the last segment of their path. */
const ENTRIES: readonly { readonly page: string; readonly label: MessageKey }[] = [
  { page: 'users', label: 'admin.users' },
  { page: 'roles', label: 'admin.roles' },
  { page: 'hosts', label: 'admin.hosts' },
  { page: 'ai', label: 'admin.ai' },
  { page: 'limits', label: 'admin.limits' },
  { page: 'notifications', label: 'notices.title' },
  { page: 'clients', label: 'admin.clients' },
  { page: 'runs', label: 'admin.runs' },
  { page: 'audit', label: 'admin.audit' },
]

/** Navigation between the administration pages. */
export function AdminNav({ pages }: { readonly pages: readonly string[] }) {
  const links = ENTRIES.filter(({ page }) => pages.includes(page)).map(({ page, label }) => ({
    label: t(label),
    to: '/admin/$page' as const,
    params: { page },
  }))
  return <TabLinks label={t('nav.admin')} links={links} />
}

/** The name of an administration page by the last segment of its path. */
export function adminPageName(page: string): string {
  return t(ENTRIES.find((entry) => entry.page === page)?.label ?? 'nav.admin')
}

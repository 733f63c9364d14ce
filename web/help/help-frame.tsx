import type { ReactNode } from 'react'
import { TabLinks } from '../parts/controls/tab-links.tsx'
import { type MessageKey, t } from '../text/i18n.ts'
import { Page, PageTabs } from '../parts/layout/page.tsx'

const PAGES: readonly { readonly page: string; readonly label: MessageKey }[] = [
  { page: '', label: 'help.guide' },
  { page: 'certificates', label: 'help.certificates' },
  { page: 'api', label: 'help.api' },
  { page: 'about', label: 'help.about' },
  { page: 'author', label: 'help.author' },
]

interface HelpFrameProps {
  /** Last segment of its path; empty for the guide. */
  readonly page: string
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** Frame of a help page, with links to the other help pages above it. */
export function HelpFrame({ page, actions, children }: HelpFrameProps) {
  const own = PAGES.find((one) => one.page === page)
  const links = PAGES.map(({ page: one, label }) => ({
    label: t(label),
    ...(one === '' ? { to: '/help' as const } : { to: '/help/$page' as const, params: { page: one } }),
  }))
  return (
    <PageTabs value={<TabLinks label={t('nav.help')} links={links} />}>
      <Page title={t(own?.label ?? 'help.guide')} actions={actions}>
        {children}
      </Page>
    </PageTabs>
  )
}

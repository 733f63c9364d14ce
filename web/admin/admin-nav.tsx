import { Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { type MessageKey, t } from '../text/i18n.ts'

/** The administration pages in order, by the last segment of their path. */
const ENTRIES: readonly { readonly page: string; readonly label: MessageKey }[] = [
  { page: 'users', label: 'admin.users' },
  { page: 'roles', label: 'admin.roles' },
  { page: 'ai', label: 'admin.ai' },
  { page: 'limits', label: 'admin.limits' },
  { page: 'runs', label: 'admin.runs' },
  { page: 'audit', label: 'admin.audit' },
]

/** Navigation between the administration pages; on a phone the row scrolls. */
export function AdminNav({ pages }: { readonly pages: readonly string[] }) {
  const row = useRef<HTMLElement>(null)
  useEffect(() => {
    row.current?.querySelector('[aria-current=page]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  })
  return (
    <nav
      ref={row}
      aria-label={t('admin.title')}
      className="border-line bg-sunken flex shrink-0 gap-1 overflow-x-auto border-b px-2 sm:px-4"
    >
      {ENTRIES.filter(({ page }) => pages.includes(page)).map(({ page, label }) => (
        <Link
          key={page}
          to="/admin/$page"
          params={{ page }}
          activeOptions={{ includeSearch: false }}
          className="text-muted hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-accent flex h-10 shrink-0 items-center border-b-2 border-transparent px-2.5 text-sm font-medium focus-visible:-outline-offset-2"
        >
          {t(label)}
        </Link>
      ))}
    </nav>
  )
}

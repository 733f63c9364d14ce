import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import { classNames } from '../parts/class-names.ts'
import { type MessageKey, t } from '../text/i18n.ts'
import { Page } from '../parts/layout/page.tsx'

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
  const row = useRef<HTMLElement>(null)
  useEffect(() => {
    // On a phone the row scrolls, and the current page's link may be out of view.
    row.current?.querySelector('[aria-current=page]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [page])
  const own = PAGES.find((one) => one.page === page)
  return (
    <Page title={t(own?.label ?? 'help.guide')} actions={actions}>
      <nav ref={row} aria-label={t('help.pages')} className="border-line mb-6 flex gap-1 overflow-x-auto border-b">
        {PAGES.map(({ page: one, label }) => (
          <Link
            key={one}
            to={one === '' ? '/help' : '/help/$page'}
            params={{ page: one }}
            activeOptions={{ exact: true, includeSearch: false }}
            className={classNames(
              '-mb-px flex h-9 shrink-0 items-center border-b-2 px-2.5 font-medium focus-visible:-outline-offset-2',
              one === page ? 'border-accent text-ink' : 'text-muted hover:text-ink border-transparent',
            )}
          >
            {t(label)}
          </Link>
        ))}
      </nav>
      {children}
    </Page>
  )
}

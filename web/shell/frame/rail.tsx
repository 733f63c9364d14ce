import { Link, useLocation } from '@tanstack/react-router'
import { PanelLeftClose, PanelLeftOpen } from 'lucide-react'
import { classNames } from '../../parts/class-names.ts'
import { t } from '../../text/i18n.ts'
import { Badge } from '../../parts/feedback/badge.tsx'
import { IconButton } from '../../parts/controls/icon-button.tsx'
import { Tooltip } from '../../parts/feedback/tooltip.tsx'
import type { SessionUser } from '../../client/queries.ts'
import { destinationsFor, type Destination } from './destinations.ts'
import { helpChapter } from './help-chapter.ts'
import { Mark } from './mark.tsx'
import { PaletteButton } from './palette-button.tsx'
import { toggleRail, useRailFolded } from './rail-folded.ts'
import { UserMenu } from './user-menu.tsx'
import { usePendingApprovals } from '../../approvals/use-pending-approvals.ts'

/** The navigation at the left edge, from 768 px up. Can be folded to icons. */
export function Rail({ user }: { user: SessionUser }) {
  const folded = useRailFolded()
  const pending = usePendingApprovals()
  return (
    <header
      className={classNames(
        'border-line bg-sunken hidden shrink-0 flex-col border-r md:flex',
        folded ? 'w-15' : 'w-56',
      )}
    >
      <div className={classNames('flex h-14 items-center', folded ? 'justify-center' : 'justify-between pr-2 pl-4')}>
        {!folded && <Mark />}
        <IconButton
          label={t(folded ? 'nav.expand' : 'nav.collapse')}
          icon={folded ? PanelLeftOpen : PanelLeftClose}
          side="right"
          onClick={toggleRail}
        />
      </div>
      <div className="px-3 pb-2">
        <PaletteButton folded={folded} />
      </div>
      <nav aria-label={t('nav.label')} className="flex-1 overflow-y-auto px-3 py-1">
        <ul className="space-y-0.5">
          {destinationsFor(user).map((destination) => (
            <li key={destination.to}>
              <RailLink destination={destination} folded={folded} pending={destination.counted ? pending : null} />
            </li>
          ))}
        </ul>
      </nav>
      <div className="p-2">
        <UserMenu user={user} folded={folded} />
      </div>
    </header>
  )
}

function RailLink({
  destination,
  folded,
  pending,
}: {
  destination: Destination
  folded: boolean
  pending: number | null
}) {
  const Icon = destination.icon
  const chapter = helpChapter(useLocation().href)
  const count = pending !== null && pending > 0 ? pending : null
  const link = (
    <Link
      to={destination.to}
      search={destination.to === '/help' && chapter !== undefined ? { chapter } : {}}
      activeOptions={{ exact: destination.to === '/', includeSearch: false }}
      className="text-muted hover:bg-hover hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:text-accent relative flex h-9 items-center gap-3 rounded-md px-2.5 font-medium"
    >
      <Icon aria-hidden className="size-4 shrink-0" />
      <span className={folded ? 'sr-only' : 'flex-1 truncate'}>{t(destination.label)}</span>
      {count !== null && (
        <>
          <Badge solid className={folded ? 'absolute -top-0.5 -right-0.5 h-4 min-w-4 px-1' : undefined}>
            <span aria-hidden>{count > 99 ? '99+' : count}</span>
          </Badge>
          <span className="sr-only">{t('nav.approvals_pending', { count })}</span>
        </>
      )}
    </Link>
  )
  return folded ? (
    <Tooltip text={t(destination.label)} side="right">
      {link}
    </Tooltip>
  ) : (
    link
  )
}

import { Link } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { t } from '../../text/i18n.ts'
import { Badge } from '../../parts/feedback/badge.tsx'
import type { SessionUser } from '../../client/queries.ts'
import { destinationsFor } from './destinations.ts'
import { openOverlay } from './overlay.ts'
import { UserMenu } from './user-menu.tsx'
import { usePendingApprovals } from '../../approvals/use-pending-approvals.ts'

/** The navigation bar at the lower edge, below 768 px. */
export function PhoneBar({ user }: { user: SessionUser }) {
  const pending = usePendingApprovals() ?? 0
  return (
    <nav
      aria-label={t('nav.label')}
      className="border-line bg-sunken grid shrink-0 auto-cols-fr grid-flow-col border-t pb-[env(safe-area-inset-bottom)] md:hidden"
    >
      {destinationsFor(user)
        .filter(({ menu }) => !menu)
        .map(({ to, label, icon: Icon, counted }) => (
          <Link
            key={to}
            to={to}
            activeOptions={{ exact: to === '/', includeSearch: false }}
            className="text-muted aria-[current=page]:text-accent flex h-14 min-w-0 flex-col items-center justify-center gap-0.5 text-xs font-medium focus-visible:outline-offset-[-2px]"
          >
            <span className="relative">
              <Icon aria-hidden className="size-5" />
              {counted && pending > 0 && (
                <Badge solid className="absolute -top-1.5 left-3 h-4 min-w-4 px-1">
                  <span aria-hidden>{pending > 99 ? '99+' : pending}</span>
                </Badge>
              )}
            </span>
            <span className="max-w-full truncate px-0.5 max-[400px]:px-0 max-[400px]:text-[0.625rem] max-[400px]:tracking-tight">
              {t(label)}
            </span>
            {counted && pending > 0 && (
              <span className="sr-only">{t('nav.approvals_pending', { count: pending })}</span>
            )}
          </Link>
        ))}
      <button
        type="button"
        onClick={() => openOverlay({ kind: 'palette' })}
        className="text-muted flex h-14 min-w-0 flex-col items-center justify-center gap-0.5 text-xs font-medium focus-visible:outline-offset-[-2px]"
      >
        <Search aria-hidden className="size-5" />
        <span className="max-w-full truncate px-0.5 max-[400px]:px-0 max-[400px]:text-[0.625rem] max-[400px]:tracking-tight">
          {t('palette.open_short')}
        </span>
      </button>
      <UserMenu user={user} phone />
    </nav>
  )
}

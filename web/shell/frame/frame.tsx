import { Outlet } from '@tanstack/react-router'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useEffect } from 'react'
import { t } from '../../text/i18n.ts'
import { activityFeed } from '../../client/activity/use-activity.ts'
import { sessionQuery } from '../../client/queries.ts'
import { useRefreshOnActivity } from '../../client/activity/refresh-on-activity.ts'
import { ApprovalWatch } from '../../approvals/approval-watch.tsx'
import { ConnectionBanner } from './connection-banner.tsx'
import { Overlays } from './overlays.tsx'
import { PhoneBar } from './phone-bar.tsx'
import { Rail } from './rail.tsx'
import { useGlobalShortcuts } from './use-global-shortcuts.ts'
import { usePartsAhead } from './use-parts-ahead.ts'

const ElevationBanner = lazy(async () => ({
  default: (await import('../../elevation/elevation-banner.tsx')).ElevationBanner,
}))

/** Around every signed-in page: navigation, connection banner, and the activity stream that keeps data up to date. */
export function Frame() {
  const session = useQuery(sessionQuery)
  const userId = session.data?.user.id
  useEffect(() => {
    if (userId !== undefined) activityFeed.start(userId)
  }, [userId])
  useRefreshOnActivity()
  useGlobalShortcuts()
  usePartsAhead()
  if (session.data === undefined) return null
  const { elevation } = session.data.user
  return (
    <div className="flex h-dvh flex-col md:flex-row">
      <a
        href="#content"
        className="bg-accent text-on-accent sr-only z-50 rounded-md px-3 py-2 focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        {t('app.skip')}
      </a>
      <Rail user={session.data.user} />
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        <ConnectionBanner />
        {elevation !== undefined && (
          <Suspense>
            <ElevationBanner elevation={elevation} />
          </Suspense>
        )}
        <main id="content" tabIndex={-1} className="min-h-0 flex-1 overflow-y-auto outline-none">
          <Outlet />
        </main>
      </div>
      <PhoneBar user={session.data.user} />
      <ApprovalWatch />
      <Overlays />
    </div>
  )
}

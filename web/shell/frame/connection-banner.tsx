import { WifiOff } from 'lucide-react'
import { useEffect, useState } from 'react'
import { t } from '../../text/i18n.ts'
import { useConnection } from '../../client/activity/use-activity.ts'
import { announce } from '../../parts/feedback/announcer.tsx'

/** Shorter gaps are not worth mentioning: a restarted proxy, a network change. */
const PATIENCE_MS = 2000

/** Says that the page may be out of date while the activity stream is down; disappears by itself. */
export function ConnectionBanner() {
  const offline = useConnection() === 'offline'
  const [shown, setShown] = useState(false)
  useEffect(() => {
    if (!offline) return undefined
    const timer = setTimeout(() => setShown(true), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [offline])
  useEffect(() => {
    if (offline || !shown) return
    setShown(false)
    announce(t('connection.back'))
  }, [offline, shown])
  return (
    <div role="status">
      {shown && (
        <p className="bg-warn-soft text-warn border-warn/30 flex items-center gap-2 border-b px-4 py-2 text-sm font-medium sm:px-6">
          <WifiOff aria-hidden className="size-4 shrink-0" />
          {t('connection.offline')}
        </p>
      )}
    </div>
  )
}

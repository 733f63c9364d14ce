import { useQuery } from '@tanstack/react-query'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { SkeletonRows } from '../../parts/feedback/skeleton.tsx'
import { t } from '../../text/i18n.ts'
import { BrowserSwitch } from './browser-switch.tsx'
import { NoticeForm } from './notice-form.tsx'
import { OwnAddresses } from './own-addresses.tsx'
import { ownChannelsQuery } from './own-channels.ts'

/** Where and when the user is told that something waits. */
export function NotificationsPart() {
  const query = useQuery(ownChannelsQuery)
  return (
    <div className="max-w-[46rem] space-y-8">
      <QueryView query={query} failed={t('notices.load_failed')} loading={<SkeletonRows rows={4} />}>
        {({ items, settings, mail }) => (
          <>
            <OwnAddresses items={items} mail={mail} />
            {items.length > 0 && <NoticeForm stored={settings} />}
          </>
        )}
      </QueryView>
      <BrowserSwitch />
    </div>
  )
}

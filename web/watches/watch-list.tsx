import { useQuery } from '@tanstack/react-query'
import { BellRing, Plus } from 'lucide-react'
import { useState } from 'react'
import { hostsQuery } from '../hosts/hosts-query.ts'
import { Button } from '../parts/controls/button.tsx'
import { EmptyState } from '../parts/feedback/empty-state.tsx'
import { Panel } from '../parts/layout/panel.tsx'
import { Section } from '../parts/layout/section.tsx'
import { t } from '../text/i18n.ts'
import { WatchDialog } from './watch-dialog.tsx'
import { WatchRow } from './watch-row.tsx'
import type { Watch } from './watches-query.ts'

/** Those of all administrators, and the reader's own. */
export function WatchList({ watches, wanted }: { readonly watches: readonly Watch[]; readonly wanted: string | null }) {
  const [adding, setAdding] = useState(false)
  const hosts = useQuery(hostsQuery).data?.items ?? []
  const nameOf = (host_id: string): string => hosts.find((host) => host.host_id === host_id)?.name ?? '–'
  const shared = watches.filter((watch) => watch.shared)
  const own = watches.filter((watch) => !watch.shared)
  const rows = (some: readonly Watch[]) => (
    <ul className="divide-line divide-y">
      {some.map((watch) => (
        <WatchRow key={watch.watch_id} watch={watch} nameOf={nameOf} wanted={watch.watch_id === wanted} />
      ))}
    </ul>
  )
  const add = (
    <Button
      icon={Plus}
      size={own.length === 0 ? 'md' : 'sm'}
      variant={own.length === 0 ? 'primary' : 'secondary'}
      onClick={() => setAdding(true)}
    >
      {t('watches.add')}
    </Button>
  )
  return (
    <div className="space-y-8">
      {shared.length > 0 && (
        <Section title={t('watches.of_all')}>
          <Panel>{rows(shared)}</Panel>
        </Section>
      )}
      <Section title={t('watches.mine')} actions={own.length > 0 && add}>
        <Panel>
          {own.length === 0 ? (
            <EmptyState
              level={3}
              icon={BellRing}
              title={t('watches.none')}
              text={t('watches.none_text')}
              actions={add}
            />
          ) : (
            rows(own)
          )}
        </Panel>
      </Section>
      {adding && <WatchDialog watch={null} onClose={() => setAdding(false)} />}
    </div>
  )
}

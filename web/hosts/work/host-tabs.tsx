import { getRouteApi } from '@tanstack/react-router'
import { type ComponentType, lazy, type ReactNode, Suspense } from 'react'
import { Tabs } from '../../parts/controls/tabs.tsx'
import { SkeletonRows } from '../../parts/feedback/skeleton.tsx'
import { t, type MessageKey } from '../../text/i18n.ts'
import type { Host } from '../hosts-query.ts'

/** What every section of a machine's page gets. Each is a chunk of its own, loaded when it is first opened. */
export interface HostSectionProps {
  readonly host: Host
}

interface HostSection {
  readonly id: string
  readonly label: MessageKey
  readonly Content: ComponentType<HostSectionProps>
}

/** The usual work on a machine, after the overview, in the order of the tabs. */
const SECTIONS: readonly HostSection[] = [
  {
    id: 'changes',
    label: 'changes.title',
    Content: lazy(async () => ({ default: (await import('./changes-section.tsx')).ChangesSection })),
  },
]

const OVERVIEW = 'overview'
const route = getRouteApi('/app/admin/$page')

/** The sections of a machine's page; which one is shown is in the address. */
export function HostTabs({ host, overview }: HostSectionProps & { readonly overview: () => ReactNode }) {
  const { tab } = route.useSearch()
  const navigate = route.useNavigate()
  const shown = SECTIONS.find(({ id }) => id === tab)?.id ?? OVERVIEW
  return (
    <Tabs
      label={t('hosts.tabs')}
      selected={shown}
      onSelect={(id) =>
        void navigate({ search: { host: host.host_id, ...(id === OVERVIEW ? {} : { tab: id }) }, replace: true })
      }
      tabs={[
        { id: OVERVIEW, label: t('hosts.tab_overview'), content: overview },
        ...SECTIONS.map(({ id, label, Content }) => ({
          id,
          label: t(label),
          content: () => (
            <Suspense fallback={<SkeletonRows rows={6} className="h-9 rounded-lg" />}>
              <Content host={host} />
            </Suspense>
          ),
        })),
      ]}
    />
  )
}

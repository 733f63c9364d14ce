import { getRouteApi } from '@tanstack/react-router'
import { type ComponentType, lazy, type ReactNode, Suspense } from 'react'
import { Tabs } from '../../parts/controls/tabs.tsx'
import { SkeletonRows } from '../../parts/feedback/skeleton.tsx'
import { t, type MessageKey } from '../../text/i18n.ts'
import type { HostSectionProps } from './host-section.ts'

interface HostSection {
  readonly id: string
  readonly label: MessageKey
  readonly Content: ComponentType<HostSectionProps>
}

/** The usual work on a machine, after the overview, in the order of the tabs. */
const SECTIONS: readonly HostSection[] = [
  {
    id: 'services',
    label: 'hosts.tab_services',
    Content: lazy(async () => ({ default: (await import('./sections.ts')).ServicesSection })),
  },
  {
    id: 'packages',
    label: 'hosts.tab_packages',
    Content: lazy(async () => ({ default: (await import('./sections.ts')).PackagesSection })),
  },
  {
    id: 'disks',
    label: 'hosts.tab_disks',
    Content: lazy(async () => ({ default: (await import('./sections.ts')).DisksSection })),
  },
  {
    id: 'journal',
    label: 'hosts.tab_journal',
    Content: lazy(async () => ({ default: (await import('./sections.ts')).JournalSection })),
  },
  {
    id: 'users',
    label: 'hosts.tab_users',
    Content: lazy(async () => ({ default: (await import('./sections.ts')).UsersSection })),
  },
  {
    id: 'timers',
    label: 'hosts.tab_timers',
    Content: lazy(async () => ({ default: (await import('./sections.ts')).TimersSection })),
  },
  {
    id: 'certificates',
    label: 'hosts.tab_certificates',
    Content: lazy(async () => ({ default: (await import('./sections.ts')).CertificatesSection })),
  },
  {
    id: 'changes',
    label: 'changes.title',
    Content: lazy(async () => ({ default: (await import('./sections.ts')).ChangesSection })),
  },
  {
    id: 'tools',
    label: 'hosts.tab_tools',
    Content: lazy(async () => ({ default: (await import('./sections.ts')).ToolsSection })),
  },
]

const OVERVIEW = 'overview'
const route = getRouteApi('/app/admin/$page')

interface HostTabsProps extends HostSectionProps {
  /** Something could connect to it; else there is nothing to be read on it, but what was changed is still known. */
  readonly reachable: boolean
  readonly overview: () => ReactNode
}

/** The sections of a machine's page; which one is shown is in the address. */
export function HostTabs({ host, reachable, overview }: HostTabsProps) {
  const { tab } = route.useSearch()
  const navigate = route.useNavigate()
  const sections = SECTIONS.filter(({ id }) => reachable || id === 'changes')
  const shown = sections.find(({ id }) => id === tab)?.id ?? OVERVIEW
  return (
    <Tabs
      label={t('hosts.tabs')}
      selected={shown}
      onSelect={(id) =>
        void navigate({ search: { host: host.host_id, ...(id === OVERVIEW ? {} : { tab: id }) }, replace: true })
      }
      tabs={[
        { id: OVERVIEW, label: t('hosts.tab_overview'), content: overview },
        ...sections.map(({ id, label, Content }) => ({
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

import { getRouteApi } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense } from 'react'
import { Tabs } from '../../parts/controls/tabs.tsx'
import { SkeletonRows } from '../../parts/feedback/skeleton.tsx'
import { t, type MessageKey } from '../../text/i18n.ts'
import { HelperNotice } from './helper-notice.tsx'
import type { HostSectionProps } from './host-section.ts'

interface HostSection {
  readonly id: string
  readonly label: MessageKey
  /** It has operations, which the helper does. */
  readonly changes?: true
}

/** The usual work on a machine, after the overview, in the order of the tabs. */
const SECTIONS: readonly HostSection[] = [
  {
    id: 'services',
    label: 'hosts.tab_services',
    changes: true,
  },
  {
    id: 'packages',
    label: 'hosts.tab_packages',
    changes: true,
  },
  {
    id: 'disks',
    label: 'hosts.tab_disks',
  },
  {
    id: 'journal',
    label: 'hosts.tab_journal',
    changes: true,
  },
  {
    id: 'users',
    label: 'hosts.tab_users',
    changes: true,
  },
  {
    id: 'timers',
    label: 'hosts.tab_timers',
    changes: true,
  },
  {
    id: 'certificates',
    label: 'hosts.tab_certificates',
  },
  {
    id: 'changes',
    label: 'changes.title',
  },
  {
    id: 'tools',
    label: 'hosts.tab_tools',
  },
]

const SectionContent = lazy(async () => ({ default: (await import('./sections.tsx')).SectionContent }))
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
        ...sections.map(({ id, label, changes }) => ({
          id,
          label: t(label),
          content: () => (
            <Suspense fallback={<SkeletonRows rows={6} className="h-9 rounded-lg" />}>
              {changes === true && <HelperNotice host={host} />}
              <SectionContent id={id} host={host} />
            </Suspense>
          ),
        })),
      ]}
    />
  )
}

import type { UseQueryResult } from '@tanstack/react-query'
import type { ModuleDetail, ModuleSettings as Settings } from '../../../contract/modules.ts'
import { t } from '../../text/i18n.ts'
import { Badge } from '../../parts/feedback/badge.tsx'
import { Tabs, type Tab } from '../../parts/controls/tabs.tsx'
import { ModuleHealth } from './module-health.tsx'
import { ModuleHistory } from './module-history.tsx'
import { LogLevelField } from './log-level-field.tsx'
import { ModuleLog } from './module-log.tsx'
import { ModuleOverview } from './module-overview.tsx'
import { ModuleSettings } from '../settings/module-settings.tsx'
import { ModuleTools } from '../tools/module-tools.tsx'
import type { useModuleChange } from '../list/use-module-change.ts'

interface ModuleTabsProps {
  readonly module: ModuleDetail
  readonly settings: UseQueryResult<Settings>
  readonly change: ReturnType<typeof useModuleChange>
  readonly selected: string
  onSelect(tab: string): void
}

/** The tabs of a module's page. An unknown tab shows the first. */
export function ModuleTabs({ module, settings, change, selected, onSelect }: ModuleTabsProps) {
  const { changed_tools: changed, name, state } = module
  const tabs: Tab[] = [
    { id: 'overview', label: t('modules.overview'), content: () => <ModuleOverview module={module} /> },
    {
      id: 'tools',
      label: t('modules.tools'),
      note: changed > 0 && (
        <Badge tone="warn">
          {changed}
          <span className="sr-only"> {t('modules.to_agree')}</span>
        </Badge>
      ),
      content: () => <ModuleTools module={module} change={change} />,
    },
    {
      id: 'settings',
      label: t('modules.settings'),
      note: state === 'needs_configuration' && <Badge tone="warn">{t('modules.incomplete')}</Badge>,
      content: () => <ModuleSettings name={name} query={settings} />,
    },
    { id: 'health', label: t('modules.health'), content: () => <ModuleHealth name={name} /> },
    {
      id: 'log',
      label: t('modules.log'),
      content: () => (
        <>
          {module.log_level !== undefined && <LogLevelField module={module} />}
          <ModuleLog name={name} lines={module.log} />
        </>
      ),
    },
    {
      id: 'history',
      label: t('modules.history'),
      content: () => <ModuleHistory module={module} change={change} />,
    },
  ]
  return (
    <Tabs
      label={t('modules.parts')}
      tabs={tabs}
      selected={tabs.some(({ id }) => id === selected) ? selected : 'overview'}
      onSelect={onSelect}
    />
  )
}

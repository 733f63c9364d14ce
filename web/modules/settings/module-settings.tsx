import type { UseQueryResult } from '@tanstack/react-query'
import { SlidersHorizontal } from 'lucide-react'
import type { ModuleSettings as Settings } from '../../../contract/modules.ts'
import { t } from '../../text/i18n.ts'
import { EmptyState } from '../../parts/feedback/empty-state.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { SkeletonRows } from '../../parts/feedback/skeleton.tsx'
import { SettingsForm } from './settings-form.tsx'

/** The settings of a module, or a note that it has none. */
export function ModuleSettings({ name, query }: { readonly name: string; readonly query: UseQueryResult<Settings> }) {
  return (
    <QueryView
      query={query}
      failed={t('modules.settings_failed')}
      loading={<SkeletonRows rows={4} className="h-16 max-w-2xl" />}
    >
      {(settings) =>
        settings.fields.length === 0 ? (
          <Panel>
            <EmptyState
              icon={SlidersHorizontal}
              title={t('modules.no_settings')}
              text={t('modules.no_settings_text')}
            />
          </Panel>
        ) : (
          <SettingsForm name={name} settings={settings} />
        )
      }
    </QueryView>
  )
}

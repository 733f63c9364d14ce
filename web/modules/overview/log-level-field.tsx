import type { LogLevel, ModuleDetail } from '../../../contract/modules.ts'
import { call } from '../../client/api.ts'
import { SelectField } from '../../parts/controls/select-field.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { t } from '../../text/i18n.ts'
import { useModuleChange } from '../list/use-module-change.ts'

const LEVELS: readonly LogLevel[] = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']

/** From which level on a module tells what it does. Levels have the names that stand in its lines. */
export function LogLevelField({ module }: { readonly module: ModuleDetail }) {
  const change = useModuleChange()
  const choose = (value: string): void =>
    change.mutate({
      id: 'log_level',
      failed: t('modules.log_level_failed'),
      done: t('modules.log_level_saved', { name: module.display_name }),
      run: () =>
        call('PUT /api/modules/{module_name}/log-level', {
          params: { module_name: module.name },
          body: { log_level: LEVELS.find((level) => level === value) ?? null },
        }),
    })
  return (
    <div className="mb-3 space-y-2">
      {change.isError && <ErrorNotice title={t('modules.log_level_failed')} error={change.error} />}
      <SelectField
        label={t('modules.log_level')}
        value={module.log_level ?? ''}
        disabled={change.isPending}
        className="max-w-xs"
        hint={t('modules.log_level_text')}
        onChange={choose}
        options={[
          { value: '', label: t('modules.log_level_own') },
          ...LEVELS.map((level) => ({ value: level, label: level })),
        ]}
      />
    </div>
  )
}

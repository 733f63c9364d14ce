import { useState } from 'react'
import type { ModuleDetail } from '../../../contract/modules.ts'
import { call } from '../../client/api.ts'
import { t } from '../../text/i18n.ts'
import { FormDialog } from '../../parts/layout/form-dialog.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { SelectField } from '../../parts/controls/select-field.tsx'
import { useModuleChange } from '../list/use-module-change.ts'

interface InstancesDialogProps {
  readonly module: ModuleDetail
  readonly runs: NonNullable<ModuleDetail['runs']>
  onClose(): void
}

/** Chooses whether one process runs a module for all or each its own, or leaves that to its bundle. */
export function InstancesDialog({ module, runs, onClose }: InstancesDialogProps) {
  const [wanted, setWanted] = useState<'' | 'singleton' | 'stateless'>(runs.chosen ?? '')
  const change = useModuleChange()
  const unchosen = runs.declared ?? 'singleton'
  const instances = t(`modules.instances_${unchosen}`)
  const options = [
    {
      value: '',
      label:
        runs.declared === null
          ? t('modules.instances_as_default', { instances })
          : t('modules.instances_as_declared', { instances }),
    },
    { value: 'singleton', label: t('modules.instances_singleton') },
    { value: 'stateless', label: t('modules.instances_stateless') },
  ]
  const onSubmit = (): void => {
    if (change.isPending) return
    change.mutate({
      id: 'instances',
      failed: t('modules.instances_failed'),
      done: t('modules.instances_saved', { name: module.display_name }),
      run: () =>
        call('PUT /api/modules/{module_name}/instances', {
          params: { module_name: module.name },
          body: { instances: wanted === '' ? null : wanted },
        }),
      after: onClose,
    })
  }
  return (
    <FormDialog
      title={t('modules.instances_title', { name: module.display_name })}
      description={t('modules.instances_text')}
      size="sm"
      onClose={onClose}
      onSubmit={onSubmit}
      busy={change.isPending}
    >
      {change.isError && <ErrorNotice title={t('modules.instances_failed')} error={change.error} />}
      <SelectField
        label={t('modules.instances')}
        value={wanted}
        onChange={(value) => setWanted(value as typeof wanted)}
        options={options}
        hint={(wanted || unchosen) === 'stateless' ? t('modules.instances_own_data') : undefined}
      />
    </FormDialog>
  )
}

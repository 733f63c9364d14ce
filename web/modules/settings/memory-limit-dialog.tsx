import { useState } from 'react'
import type { ModuleDetail } from '../../../contract/modules.ts'
import { call } from '../../client/api.ts'
import { t } from '../../text/i18n.ts'
import { FormDialog } from '../../parts/layout/form-dialog.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { TextField } from '../../parts/controls/text-field.tsx'
import { useModuleChange } from '../list/use-module-change.ts'

interface MemoryLimitDialogProps {
  readonly module: ModuleDetail
  readonly memory: NonNullable<ModuleDetail['memory']>
  onClose(): void
}

/** Sets or removes a module's own memory limit. */
export function MemoryLimitDialog({ module, memory, onClose }: MemoryLimitDialogProps) {
  const [text, setText] = useState(memory.own_mib === null ? '' : String(memory.own_mib))
  const change = useModuleChange()
  const wanted = text.trim() === '' ? null : Number(text)
  const fits = wanted === null || (/^\d+$/.test(text.trim()) && wanted >= 64 && wanted <= 65_536)
  const onSubmit = (): void => {
    if (!fits || change.isPending) return
    change.mutate({
      id: 'limits',
      failed: t('modules.memory_failed'),
      done: t('modules.memory_saved', { name: module.display_name }),
      run: () =>
        call('PUT /api/modules/{module_name}/limits', {
          params: { module_name: module.name },
          body: { memory_mib: wanted },
        }),
      after: onClose,
    })
  }
  return (
    <FormDialog
      title={t('modules.memory_title', { name: module.display_name })}
      description={t('modules.memory_text')}
      size="sm"
      onClose={onClose}
      onSubmit={onSubmit}
      busy={change.isPending}
      disabled={!fits}
    >
      {change.isError && <ErrorNotice title={t('modules.memory_failed')} error={change.error} />}
      <TextField
        label={t('modules.memory_mib')}
        value={text}
        onChange={setText}
        inputMode="numeric"
        autoComplete="off"
        placeholder={String(memory.policy_mib)}
        hint={t('modules.memory_hint', { mib: memory.policy_mib })}
        error={fits ? null : t('modules.policy_memory_wrong')}
      />
    </FormDialog>
  )
}

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { ModuleDetail } from '../../contract/modules.ts'
import { call } from '../api.ts'
import { t } from '../i18n.ts'
import { Button } from '../parts/button.tsx'
import { CheckField } from '../parts/check-field.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { ErrorNotice } from '../parts/error-notice.tsx'
import { toast } from '../parts/toast.tsx'
import { moduleQuery, moduleSettingsQuery } from './module-queries.ts'
import { useArmed } from '../parts/use-armed.ts'

/** The removal of one module, while it is under way: its page asks for nothing more then. */
export function uninstallKey(name: string): readonly string[] {
  return ['uninstall', name]
}

/** Asks before a module goes, and says what goes with it and what stays. */
export function UninstallDialog({ module, onClose }: { readonly module: ModuleDetail; onClose(): void }) {
  const { name: id, display_name: name, kind } = module
  const [deleteData, setDeleteData] = useState(false)
  const armed = useArmed()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const params = { module_name: id }
  const uninstall = useMutation({
    mutationKey: uninstallKey(id),
    mutationFn: async () => {
      if (kind === 'builtin') return call('POST /api/modules/{module_name}/uninstall-builtin', { params })
      return call('POST /api/modules/{module_name}/uninstall', { params, body: { delete_data: deleteData } })
    },
    onSuccess: async ({ backup }) => {
      toast({ text: t(backup === null ? 'modules.uninstalled' : 'modules.uninstalled_backup', { name }), tone: 'ok' })
      onClose()
      await navigate({ to: '/modules', ignoreBlocker: true })
      queryClient.removeQueries({ queryKey: moduleQuery(id).queryKey })
      queryClient.removeQueries({ queryKey: moduleSettingsQuery(id).queryKey })
      await queryClient.invalidateQueries({ queryKey: ['modules'] })
    },
  })
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={t('modules.uninstall_title', { name })}
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button variant="danger" disabled={!armed} busy={uninstall.isPending} onClick={() => uninstall.mutate()}>
            {t(deleteData ? 'modules.uninstall_with_data' : 'modules.uninstall')}
          </Button>
        </>
      }
    >
      <div className="space-y-4">
        {uninstall.isError && <ErrorNotice title={t('modules.uninstall_failed')} error={uninstall.error} />}
        <dl className="space-y-2">
          <dt className="font-medium">{t('modules.uninstall_removed')}</dt>
          <dd>{t(`modules.uninstall_removed_${kind}`)}</dd>
          <dt className="font-medium">{t('modules.uninstall_kept')}</dt>
          <dd>{t(deleteData ? 'modules.uninstall_kept_no_data' : `modules.uninstall_kept_${kind}`)}</dd>
        </dl>
        {kind === 'bundle' && (
          <CheckField
            label={t('modules.delete_data')}
            hint={t('modules.delete_data_hint')}
            checked={deleteData}
            onChange={setDeleteData}
          />
        )}
      </div>
    </Dialog>
  )
}

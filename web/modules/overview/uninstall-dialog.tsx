import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { ModuleDetail } from '../../../contract/modules.ts'
import { call } from '../../client/api.ts'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { CheckField } from '../../parts/controls/check-field.tsx'
import { Dialog } from '../../parts/layout/dialog.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { toast } from '../../parts/feedback/toast.tsx'
import { moduleQuery, moduleSettingsQuery } from '../list/module-queries.ts'
import { useArmed } from '../../parts/controls/use-armed.ts'

/** The removal of one module; while it runs, the module's page makes no requests. */
export function uninstallKey(name: string): readonly string[] {
  return ['uninstall', name]
}

/** Asks before a module is uninstalled, and says what is removed and what is kept. */
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

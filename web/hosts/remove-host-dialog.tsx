import { useNavigate } from '@tanstack/react-router'
import { call } from '../client/api.ts'
import { Button } from '../parts/controls/button.tsx'
import { useArmed } from '../parts/controls/use-armed.ts'
import { ErrorNotice } from '../parts/feedback/error-notice.tsx'
import { Notice } from '../parts/feedback/notice.tsx'
import { Dialog } from '../parts/layout/dialog.tsx'
import { t } from '../text/i18n.ts'
import type { Host } from './hosts-query.ts'
import { useHostChange } from './use-host-change.ts'

interface RemoveHostDialogProps {
  readonly host: Host
  readonly hosts: readonly Host[]
  onClose(): void
}

/** Says what goes with a machine and what stays, here and on the machine itself. */
export function RemoveHostDialog({ host, hosts, onClose }: RemoveHostDialogProps) {
  const armed = useArmed()
  const navigate = useNavigate()
  const change = useHostChange()
  const { host_id, name } = host
  const behind = hosts.filter(({ jump_host_id }) => jump_host_id === host_id)
  const onRemove = (): void =>
    change.mutate({
      run: () => call('DELETE /api/admin/hosts/{host_id}', { params: { host_id } }),
      done: t('hosts.removed', { name }),
      after: () => void navigate({ to: '/admin/$page', params: { page: 'hosts' }, replace: true }),
    })
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={t('hosts.remove_title', { name })}
      size="sm"
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button variant="danger" disabled={!armed || behind.length > 0} busy={change.isPending} onClick={onRemove}>
            {t('hosts.remove')}
          </Button>
        </>
      }
    >
      <div className="space-y-3">
        {change.isError && <ErrorNotice title={t('hosts.remove_failed')} error={change.error} />}
        {behind.length > 0 ? (
          <Notice tone="warn">
            {t('hosts.remove_behind', { names: behind.map((other) => other.name).join(', ') })}
          </Notice>
        ) : (
          <dl className="space-y-2">
            <dt className="font-medium">{t('users.delete_goes')}</dt>
            <dd>{t('hosts.remove_goes')}</dd>
            <dt className="font-medium">{t('users.delete_stays')}</dt>
            <dd>{t('hosts.remove_stays')}</dd>
          </dl>
        )}
      </div>
    </Dialog>
  )
}

import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { call } from '../../client/api.ts'
import { t } from '../../text/i18n.ts'
import type { Role } from '../../rules/tool-rules.ts'
import { Button } from '../../parts/controls/button.tsx'
import { Dialog } from '../../parts/layout/dialog.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { useArmed } from '../../parts/controls/use-armed.ts'

interface DeleteRoleDialogProps {
  readonly role: Role
  onDeleted(text: string): Promise<void>
  onClose(): void
}

/** Asks before a role is deleted. A role that users have cannot be deleted; the dialog leads to those users. */
export function DeleteRoleDialog({ role, onDeleted, onClose }: DeleteRoleDialogProps) {
  const armed = useArmed()
  const remove = useMutation({
    mutationFn: () => call('DELETE /api/admin/roles/{role_id}', { params: { role_id: role.role_id } }),
    onSuccess: async () => {
      onClose()
      await onDeleted(t('roles.deleted', { name: role.name }))
    },
  })
  const used = role.users > 0
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={t('roles.delete_title', { name: role.name })}
      size="sm"
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          {!used && (
            <Button variant="danger" disabled={!armed} busy={remove.isPending} onClick={() => remove.mutate()}>
              {t('action.delete')}
            </Button>
          )}
        </>
      }
    >
      <div className="space-y-3">
        {remove.isError && <ErrorNotice title={t('roles.delete_failed')} error={remove.error} />}
        {used ? (
          <>
            <p>{t('roles.delete_used', { count: role.users })}</p>
            <Link
              to="/admin/$page"
              params={{ page: 'users' }}
              search={{ role: role.role_id }}
              className="text-accent underline underline-offset-2"
            >
              {t('roles.show_people')}
            </Link>
          </>
        ) : (
          <p>{t('roles.delete_text', { count: role.rules.length })}</p>
        )}
      </div>
    </Dialog>
  )
}

import { call } from '../../client/api.ts'
import { t } from '../../text/i18n.ts'
import { ConfirmUserDialog } from './confirm-user-dialog.tsx'
import { nameOf, type User } from './users-query.ts'

interface InviteDialogProps {
  readonly user: User
  onInvited(path: string): void
  onClose(): void
}

/** Explains what a password link does and creates it. */
export function InviteDialog({ user, onInvited, onClose }: InviteDialogProps) {
  const name = nameOf(user)
  return (
    <ConfirmUserDialog
      title={t(user.password ? 'users.reset_title' : 'users.invite_title', { name })}
      verb={t('users.make_link')}
      failed={t('users.link_failed')}
      run={() => call('POST /api/admin/users/{user_id}/invite', { params: { user_id: user.user_id } })}
      onDone={({ path }) => onInvited(path)}
      onClose={onClose}
    >
      <p>{t(user.password ? 'users.reset_text' : 'users.invite_text')}</p>
      {user.invited_until !== null && <p>{t('users.link_replaces')}</p>}
    </ConfirmUserDialog>
  )
}

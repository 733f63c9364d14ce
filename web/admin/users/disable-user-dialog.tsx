import { call } from '../../client/api.ts'
import { t } from '../../text/i18n.ts'
import { ConfirmUserDialog } from './confirm-user-dialog.tsx'
import { nameOf, type User } from './users-query.ts'

/** Asks before a user is disabled. */
export function DisableUserDialog({ user, onClose }: { readonly user: User; onClose(): void }) {
  const name = nameOf(user)
  const params = { user_id: user.user_id }
  return (
    <ConfirmUserDialog
      title={t('users.disable_title', { name })}
      verb={t('users.disable')}
      danger
      failed={t('users.disable_failed')}
      run={() => call('PATCH /api/admin/users/{user_id}', { params, body: { disabled: true } })}
      done={t('users.disabled_done', { name })}
      onClose={onClose}
    >
      <p>{t('users.disable_text')}</p>
    </ConfirmUserDialog>
  )
}

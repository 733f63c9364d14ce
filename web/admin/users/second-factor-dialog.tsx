import { call } from '../../client/api.ts'
import { t } from '../../text/i18n.ts'
import { ConfirmUserDialog } from './confirm-user-dialog.tsx'
import { nameOf, type User } from './users-query.ts'

/** Asks before a second factor is removed, for a user who has lost their phone. */
export function SecondFactorDialog({ user, onClose }: { readonly user: User; onClose(): void }) {
  const name = nameOf(user)
  const params = { user_id: user.user_id }
  return (
    <ConfirmUserDialog
      title={t('users.second_factor_title', { name })}
      verb={t('users.remove_second_factor')}
      danger
      failed={t('users.second_factor_failed')}
      run={() => call('DELETE /api/admin/users/{user_id}/second-factor', { params })}
      done={t('users.second_factor_removed', { name })}
      onClose={onClose}
    >
      <p>{t('users.second_factor_text')}</p>
    </ConfirmUserDialog>
  )
}

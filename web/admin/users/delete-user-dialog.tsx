import { useState } from 'react'
import { call } from '../../client/api.ts'
import { t } from '../../text/i18n.ts'
import { TextField } from '../../parts/controls/text-field.tsx'
import { ConfirmUserDialog } from './confirm-user-dialog.tsx'
import { nameOf, type User } from './users-query.ts'

/** Says what is deleted with a user and what is kept. The username must be typed, because this cannot be undone. */
export function DeleteUserDialog({ user, onClose }: { readonly user: User; onClose(): void }) {
  const [typed, setTyped] = useState('')
  const name = nameOf(user)
  return (
    <ConfirmUserDialog
      title={t('users.delete_title', { name })}
      verb={t('users.delete')}
      danger
      failed={t('users.delete_failed')}
      incomplete={typed.trim() !== user.username}
      run={() => call('DELETE /api/admin/users/{user_id}', { params: { user_id: user.user_id } })}
      done={t('users.deleted', { name })}
      onClose={onClose}
    >
      <dl className="space-y-2">
        <dt className="font-medium">{t('users.delete_goes')}</dt>
        <dd>{t('users.delete_goes_text')}</dd>
        <dt className="font-medium">{t('users.delete_stays')}</dt>
        <dd>{t('users.delete_stays_text')}</dd>
      </dl>
      {!user.disabled && <p className="text-muted">{t('users.delete_or_disable')}</p>}
      <TextField
        label={t('users.delete_type', { username: user.username })}
        value={typed}
        onChange={setTyped}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
      />
    </ConfirmUserDialog>
  )
}

import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../client/api.ts'
import { t } from '../../text/i18n.ts'
import { rolesOfUsersQuery } from '../../modules/list/module-queries.ts'
import { FormDialog } from '../../parts/layout/form-dialog.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { Notice } from '../../parts/feedback/notice.tsx'
import { SelectField } from '../../parts/controls/select-field.tsx'
import { TextField } from '../../parts/controls/text-field.tsx'
import { useUserChange } from './use-user-change.ts'
import { nameOf, type User } from './users-query.ts'

/** Edits a user's name and role. */
export function EditUserDialog({ user, onClose }: { readonly user: User; onClose(): void }) {
  const [displayName, setDisplayName] = useState(user.display_name)
  const [role, setRole] = useState(user.role_id)
  const roles = useQuery(rolesOfUsersQuery)
  const change = useUserChange()
  const changed = displayName.trim() !== user.display_name || role !== user.role_id
  const submit = (): void => {
    if (!changed || change.isPending) return
    change.mutate({
      run: () =>
        call('PATCH /api/admin/users/{user_id}', {
          params: { user_id: user.user_id },
          body: {
            ...(displayName.trim() === user.display_name ? {} : { display_name: displayName.trim() }),
            ...(role === user.role_id ? {} : { role_id: role }),
          },
        }),
      done: t('users.saved', { name: nameOf(user) }),
      after: onClose,
    })
  }
  const options = roles.data ?? [{ role_id: user.role_id, name: user.role }]
  return (
    <FormDialog
      title={t('users.edit_title', { name: nameOf(user) })}
      onClose={onClose}
      onSubmit={submit}
      disabled={!changed}
      busy={change.isPending}
    >
      {change.isError && <ErrorNotice title={t('users.save_failed')} error={change.error} />}
      <TextField
        label={t('setup.display_name')}
        value={displayName}
        onChange={setDisplayName}
        maxLength={100}
        autoComplete="off"
      />
      <SelectField
        label={t('users.role')}
        value={role}
        onChange={setRole}
        options={options.map(({ role_id, name }) => ({ value: role_id, label: name }))}
      />
      {role !== user.role_id && <Notice tone="info">{t('users.role_ends_sessions')}</Notice>}
    </FormDialog>
  )
}

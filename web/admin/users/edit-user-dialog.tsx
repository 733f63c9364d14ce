import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { call } from '../../client/api.ts'
import { t } from '../../text/i18n.ts'
import { rolesOfUsersQuery } from '../../modules/list/module-queries.ts'
import { Button } from '../../parts/controls/button.tsx'
import { Dialog } from '../../parts/layout/dialog.tsx'
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
  const formId = useId()
  const change = useUserChange()
  const changed = displayName.trim() !== user.display_name || role !== user.role_id
  const submit = (event: FormEvent): void => {
    event.preventDefault()
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
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={t('users.edit_title', { name: nameOf(user) })}
      actions={
        <>
          <Button onClick={onClose}>{t('action.cancel')}</Button>
          <Button type="submit" form={formId} variant="primary" disabled={!changed} busy={change.isPending}>
            {t('action.save')}
          </Button>
        </>
      }
    >
      <form id={formId} onSubmit={submit} className="space-y-4">
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
      </form>
    </Dialog>
  )
}

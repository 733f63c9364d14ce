import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError } from '../../client/api-error.ts'
import { call } from '../../client/api.ts'
import { t } from '../../text/i18n.ts'
import { rolesOfUsersQuery } from '../../modules/list/module-queries.ts'
import { FormDialog } from '../../parts/layout/form-dialog.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { NewPasswordField } from '../../parts/controls/new-password-field.tsx'
import { SelectField } from '../../parts/controls/select-field.tsx'
import { TextField } from '../../parts/controls/text-field.tsx'
import { passwordStrength } from '../../parts/controls/password-strength.ts'
import { SignInChoice, type FirstSignIn } from './sign-in-choice.tsx'
import { useUserChange } from './use-user-change.ts'
import type { User } from './users-query.ts'

const USERNAME = /^[\p{L}\p{N}._@-]+$/u

interface CreateUserDialogProps {
  /** A link was created with which the new user chooses a password. */
  onInvited(user: User, path: string): void
  onClose(): void
}

/** Adds a user: with a link to choose a password, or with a password that the administrator passes on. */
export function CreateUserDialog({ onInvited, onClose }: CreateUserDialogProps) {
  const roles = useQuery(rolesOfUsersQuery)
  const [username, setUsername] = useState('')
  const [displayName, setDisplayName] = useState('')
  const [roleId, setRoleId] = useState<string | null>(null)
  const [how, setHow] = useState<FirstSignIn>('link')
  const [password, setPassword] = useState('')
  // If creating the link failed, only the link is retried: the user exists already.
  const [created, setCreated] = useState<User | null>(null)
  const change = useUserChange<string | null>()
  const name = username.trim()
  const role = roleId ?? roles.data?.find((one) => !one.admin)?.role_id ?? ''
  const badName = name !== '' && !USERNAME.test(name)
  const weak = how === 'password' && passwordStrength(password, name) === 'too_short'
  const refused = change.error instanceof ApiError ? change.error : null
  const fieldError = (code: ApiError['code']): string | null => (refused?.code === code ? refused.detail : null)
  const usable = name !== '' && !badName && !weak && role !== ''

  const create = async (): Promise<string | null> => {
    const shown = displayName.trim()
    const user =
      created ??
      (
        await call('POST /api/admin/users', {
          body: {
            username: name,
            role_id: role,
            ...(shown === '' ? {} : { display_name: shown }),
            ...(how === 'password' ? { password } : {}),
          },
        })
      ).user
    setCreated(user)
    if (how === 'password') return null
    const link = await call('POST /api/admin/users/{user_id}/invite', { params: { user_id: user.user_id } })
    onInvited(user, link.path)
    return link.path
  }
  const submit = (): void => {
    if (usable && !change.isPending)
      change.mutate({ run: create, done: t('users.created', { name: displayName.trim() || name }), after: onClose })
  }
  return (
    <FormDialog
      title={t('users.create')}
      onClose={onClose}
      onSubmit={submit}
      submit={t(how === 'link' ? 'users.create_link' : 'users.create_submit')}
      disabled={!usable}
      busy={change.isPending}
      checkedByBrowser
    >
      {refused !== null && !['username_taken', 'weak_password'].includes(refused.code) && (
        <ErrorNotice title={t(created === null ? 'users.create_failed' : 'users.link_failed')} error={refused} />
      )}
      <TextField
        label={t('login.username')}
        hint={t('setup.username_hint')}
        error={badName ? t('setup.username_bad') : fieldError('username_taken')}
        value={username}
        onChange={setUsername}
        disabled={created !== null}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={64}
        autoFocus
        required
      />
      <TextField
        label={t('setup.display_name')}
        hint={t('users.display_name_hint')}
        value={displayName}
        onChange={setDisplayName}
        disabled={created !== null}
        autoComplete="off"
        maxLength={100}
      />
      <SelectField
        label={t('users.role')}
        value={role}
        onChange={setRoleId}
        disabled={created !== null}
        options={(roles.data ?? []).map((one) => ({ value: one.role_id, label: one.name }))}
      />
      <SignInChoice value={how} onChange={setHow} />
      {how === 'password' && (
        <NewPasswordField
          label={t('login.password')}
          username={name}
          error={fieldError('weak_password')}
          value={password}
          onChange={setPassword}
        />
      )}
    </FormDialog>
  )
}

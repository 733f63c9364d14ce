import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { ApiError } from '../../client/api-error.ts'
import { call } from '../../client/api.ts'
import { t } from '../../text/i18n.ts'
import { announce } from '../../parts/feedback/announcer.tsx'
import { Button } from '../../parts/controls/button.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { NewPasswordField } from '../../parts/controls/new-password-field.tsx'
import { Section } from '../../parts/layout/section.tsx'
import { TextField } from '../../parts/controls/text-field.tsx'
import { toast } from '../../parts/feedback/toast.tsx'
import { passwordStrength } from '../../parts/controls/password-strength.ts'
import { sessionQuery } from '../../client/queries.ts'

/** Changes the password, and warns that this ends all other sessions. */
export function PasswordForm() {
  const username = useQuery(sessionQuery).data?.user.username ?? ''
  const queryClient = useQueryClient()
  const [current, setCurrent] = useState('')
  const [password, setPassword] = useState('')
  const change = useMutation({
    mutationFn: () => call('POST /api/auth/password', { body: { current_password: current, new_password: password } }),
    onSuccess: () => {
      setCurrent('')
      setPassword('')
      toast({ text: t('account.password_changed'), tone: 'ok' })
      announce(t('account.password_changed'))
      void queryClient.invalidateQueries({ queryKey: ['account', 'sessions'] })
    },
  })
  const refused = change.error instanceof ApiError ? change.error : null
  const usable = current !== '' && passwordStrength(password, username) !== 'too_short'
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (usable && !change.isPending) change.mutate()
  }
  return (
    <Section title={t('account.password')}>
      <Panel className="p-4">
        <form onSubmit={submit} className="max-w-sm space-y-4">
          {change.isError && refused?.code !== 'weak_password' && refused?.code !== 'wrong_credentials' && (
            <ErrorNotice title={t('account.password_failed')} error={change.error} />
          )}
          {/* Password managers look for the username that belongs to the password. */}
          <input type="text" autoComplete="username" value={username} readOnly hidden />
          <TextField
            label={t('account.password_current')}
            type="password"
            value={current}
            onChange={setCurrent}
            error={refused?.code === 'wrong_credentials' ? refused.detail : null}
            autoComplete="current-password"
            required
          />
          <NewPasswordField
            label={t('account.password_new')}
            username={username}
            error={refused?.code === 'weak_password' ? refused.detail : null}
            value={password}
            onChange={setPassword}
          />
          <p className="text-muted text-sm">{t('account.password_ends')}</p>
          <Button type="submit" disabled={!usable} busy={change.isPending}>
            {t('account.password_submit')}
          </Button>
        </form>
      </Panel>
    </Section>
  )
}

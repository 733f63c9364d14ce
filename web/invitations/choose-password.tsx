import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { ApiError } from '../client/api-error.ts'
import { call, setCsrfToken } from '../client/api.ts'
import { formatDateTime } from '../text/format.ts'
import { t } from '../text/i18n.ts'
import { Button } from '../parts/controls/button.tsx'
import { Door } from '../parts/layout/door.tsx'
import { ErrorNotice } from '../parts/feedback/error-notice.tsx'
import { NewPasswordField } from '../parts/controls/new-password-field.tsx'
import { TextField } from '../parts/controls/text-field.tsx'
import { passwordStrength } from '../parts/controls/password-strength.ts'
import { sessionQuery } from '../client/queries.ts'
import { queryClient } from '../client/query-client.ts'

/** Target of a link from an administrator: the user chooses a password and is signed in, unless more is required. */
export function ChoosePassword({ token }: { readonly token: string }) {
  const navigate = useNavigate()
  const [password, setPassword] = useState('')
  const link = useQuery({
    queryKey: ['invitation', token],
    queryFn: ({ signal }) => call('POST /api/auth/invitation/read', { body: { token }, signal }),
    retry: false,
    staleTime: Infinity,
  })
  const choose = useMutation({
    mutationFn: async () => {
      const { username } = await call('POST /api/auth/invitation', { body: { token, password } })
      try {
        const answer = await call('POST /api/auth/login', { body: { username, password } })
        setCsrfToken(answer.csrf_token)
        queryClient.clear()
        await queryClient.fetchQuery(sessionQuery)
        return '/' as const
      } catch (error) {
        // The password is set; the sign-in page asks for what is missing (a second factor).
        if (error instanceof ApiError) return '/login' as const
        throw error
      }
    },
    onSuccess: (to) => navigate({ to }),
  })
  const over = link.error ?? (choose.error instanceof ApiError && choose.error.status === 403 ? choose.error : null)
  if (over instanceof ApiError && over.code === 'invitation_invalid')
    return (
      <Door title={t('invitation.invalid_title')} intro={t('invitation.invalid_text')}>
        <Link to="/login" className="text-accent font-medium underline-offset-2 hover:underline">
          {t('setup.go_to_login')}
        </Link>
      </Door>
    )
  if (link.isError)
    return (
      <Door title={t('invitation.title')}>
        <ErrorNotice title={t('invitation.failed')} error={link.error} onRetry={() => void link.refetch()} />
      </Door>
    )
  if (link.data === undefined) return null
  const { username, display_name: name, expires_at: end, replaces } = link.data
  const refused = choose.error instanceof ApiError ? choose.error : null
  const usable = passwordStrength(password, username) !== 'too_short'
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (usable && !choose.isPending) choose.mutate()
  }
  return (
    <Door
      title={t('invitation.title')}
      intro={t(replaces ? 'invitation.intro_reset' : 'invitation.intro', { name, date: formatDateTime(end) })}
    >
      <form onSubmit={submit} className="space-y-4">
        {choose.isError && refused?.code !== 'weak_password' && (
          <ErrorNotice title={t('invitation.failed')} error={choose.error} />
        )}
        <TextField label={t('login.username')} value={username} onChange={() => {}} autoComplete="username" readOnly />
        <NewPasswordField
          label={t('login.password')}
          username={username}
          error={refused?.code === 'weak_password' ? refused.detail : null}
          value={password}
          onChange={setPassword}
          autoFocus
        />
        <Button type="submit" variant="primary" className="w-full" disabled={!usable} busy={choose.isPending}>
          {t('invitation.submit')}
        </Button>
      </form>
    </Door>
  )
}

import { getRouteApi, useRouter } from '@tanstack/react-router'
import { useMutation } from '@tanstack/react-query'
import { useRef, useState, type FormEvent } from 'react'
import { call, setCsrfToken } from '../api.ts'
import { t } from '../i18n.ts'
import { nextPath } from '../next-path.ts'
import { Button } from '../parts/button.tsx'
import { Door } from '../parts/door.tsx'
import { ErrorNotice } from '../parts/error-notice.tsx'
import { Notice } from '../parts/notice.tsx'
import { TextField } from '../parts/text-field.tsx'
import { sessionQuery } from '../queries.ts'
import { queryClient } from '../query-client.ts'

const route = getRouteApi('/login')

/** Sign-in; afterwards back to where the person wanted to be (`?next=`, our own paths only). */
export function LoginPage() {
  const { next, ended } = route.useSearch()
  const router = useRouter()
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  const passwordField = useRef<HTMLInputElement>(null)
  const signIn = useMutation({
    mutationFn: async () => {
      const answer = await call('POST /api/auth/login', { body: { username: username.trim(), password } })
      setCsrfToken(answer.csrf_token)
      queryClient.clear()
      await queryClient.fetchQuery(sessionQuery)
    },
    onSuccess: () => router.history.push(nextPath(next, window.location.origin)),
    onError: () => passwordField.current?.select(),
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (!signIn.isPending) signIn.mutate()
  }
  return (
    <Door title={t('login.title')}>
      <form onSubmit={submit} className="space-y-4">
        {ended === 1 && !signIn.isError && <Notice tone="info">{t('login.ended')}</Notice>}
        {signIn.isError && <ErrorNotice title={t('login.failed')} error={signIn.error} />}
        <TextField
          label={t('login.username')}
          value={username}
          onChange={setUsername}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          autoFocus
          required
        />
        <TextField
          label={t('login.password')}
          type="password"
          value={password}
          onChange={setPassword}
          autoComplete="current-password"
          required
          ref={passwordField}
        />
        <Button type="submit" variant="primary" className="w-full" busy={signIn.isPending}>
          {t('login.submit')}
        </Button>
      </form>
    </Door>
  )
}

import { getRouteApi, Link, useRouter } from '@tanstack/react-router'
import { useMutation } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { ApiError } from '../client/api-error.ts'
import { call, setCsrfToken } from '../client/api.ts'
import { currentLanguage, t, useLanguage } from '../text/i18n.ts'
import type { LanguageCode } from '../text/language-names.ts'
import { ChoosePassword } from '../invitations/choose-password.tsx'
import { Button } from '../parts/controls/button.tsx'
import { Door } from '../parts/layout/door.tsx'
import { ErrorNotice } from '../parts/feedback/error-notice.tsx'
import { NewPasswordField } from '../parts/controls/new-password-field.tsx'
import { TextField } from '../parts/controls/text-field.tsx'
import { passwordStrength } from '../parts/controls/password-strength.ts'
import { sessionQuery } from '../client/queries.ts'
import { queryClient } from '../client/query-client.ts'

const route = getRouteApi('/setup')
const USERNAME = /^[\p{L}\p{N}._@-]+$/u

/** Target of external links: the first-start link, and links for choosing a password. */
export function SetupPage() {
  useLanguage()
  const { token, invite } = route.useSearch()
  return invite === undefined ? <FirstSetup token={token} /> : <ChoosePassword key={invite} token={invite} />
}

/** First start: the one-time link opens this page, which creates the first administrator. */
function FirstSetup({ token }: { token: string | undefined }) {
  const router = useRouter()
  const [username, setUsername] = useState('')
  const [displayName, setDisplayName] = useState('')
  const [password, setPassword] = useState('')
  const create = useMutation({
    mutationFn: async () => {
      const name = displayName.trim()
      const answer = await call('POST /api/setup', {
        body: {
          token: token ?? '',
          username: username.trim(),
          password,
          language: currentLanguage() as LanguageCode,
          ...(name === '' ? {} : { display_name: name }),
        },
      })
      setCsrfToken(answer.csrf_token)
      queryClient.clear()
      await queryClient.fetchQuery(sessionQuery)
    },
    onSuccess: () => router.navigate({ to: '/' }),
  })
  const refused = create.error instanceof ApiError ? create.error.code : null
  if (refused === 'setup_done') return <SetupOver title={t('setup.done_title')} text={t('setup.done_text')} />
  if (refused === 'setup_token_invalid')
    return <SetupOver title={t('setup.invalid_title')} text={t('setup.invalid_text')} />
  if (token === undefined) return <SetupOver title={t('setup.no_token_title')} text={t('setup.no_token_text')} />

  const badUsername = username.trim() !== '' && !USERNAME.test(username.trim())
  const usable = username.trim() !== '' && !badUsername && passwordStrength(password, username) !== 'too_short'
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (usable && !create.isPending) create.mutate()
  }
  return (
    <Door title={t('setup.title')} intro={t('setup.intro')}>
      <form onSubmit={submit} className="space-y-4">
        {create.isError && refused !== 'weak_password' && (
          <ErrorNotice title={t('setup.failed')} error={create.error} />
        )}
        <TextField
          label={t('login.username')}
          hint={t('setup.username_hint')}
          error={badUsername ? t('setup.username_bad') : null}
          value={username}
          onChange={setUsername}
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={64}
          autoFocus
          required
        />
        <TextField
          label={t('setup.display_name')}
          hint={t('setup.display_name_hint')}
          value={displayName}
          onChange={setDisplayName}
          autoComplete="name"
          maxLength={100}
        />
        <NewPasswordField
          label={t('login.password')}
          username={username}
          error={refused === 'weak_password' && create.error instanceof ApiError ? create.error.detail : null}
          value={password}
          onChange={setPassword}
        />
        <Button type="submit" variant="primary" className="w-full" disabled={!usable} busy={create.isPending}>
          {t('setup.submit')}
        </Button>
      </form>
    </Door>
  )
}

function SetupOver({ title, text }: { title: string; text: string }) {
  return (
    <Door title={title} intro={text}>
      <Link to="/login" className="text-accent font-medium underline-offset-2 hover:underline">
        {t('setup.go_to_login')}
      </Link>
    </Door>
  )
}

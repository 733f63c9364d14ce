import { getRouteApi, useRouter } from '@tanstack/react-router'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { ApiError } from '../client/api-error.ts'
import { call, setCsrfToken } from '../client/api.ts'
import { t, useLanguage } from '../text/i18n.ts'
import { CodeStep } from '../login/code-step.tsx'
import { OtherWays } from '../login/other-ways.tsx'
import { nextPath } from '../shell/next-path.ts'
import { Button } from '../parts/controls/button.tsx'
import { Door } from '../parts/layout/door.tsx'
import { ErrorNotice } from '../parts/feedback/error-notice.tsx'
import { Notice } from '../parts/feedback/notice.tsx'
import { TextField } from '../parts/controls/text-field.tsx'
import { sessionQuery } from '../client/queries.ts'
import { queryClient } from '../client/query-client.ts'

const route = getRouteApi('/login')

/** Reasons with which a user returns from the provider (contract/sign-in-methods.ts). */
type Problem = import('../../contract/sign-in-methods.ts').OpenidProblem
const PROBLEMS: Readonly<Record<Problem, () => string>> = {
  openid_off: () => t('login.openid_off'),
  openid_unreachable: () => t('login.openid_unreachable'),
  openid_expired: () => t('login.openid_expired'),
  openid_refused: () => t('login.openid_refused'),
  openid_unknown: () => t('login.openid_unknown'),
  openid_name_taken: () => t('login.openid_name_taken'),
  openid_disabled: () => t('login.openid_disabled'),
}

/** Sign-in; then back to where the user wanted to go (`?next=`, our own paths only). */
export function LoginPage() {
  useLanguage()
  const { next, ended, problem } = route.useSearch()
  const router = useRouter()
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  /** Set once the password was right and a code is required; null before. */
  const [code, setCode] = useState<string | null>(null)
  const passwordField = useRef<HTMLInputElement>(null)
  const methods = useQuery({
    queryKey: ['sign-in-methods'],
    queryFn: ({ signal }) => call('GET /api/auth/methods', { signal }),
  })
  const enter = async ({ csrf_token }: { csrf_token: string }): Promise<void> => {
    setCsrfToken(csrf_token)
    queryClient.clear()
    await queryClient.fetchQuery(sessionQuery)
    router.history.push(nextPath(next, window.location.origin))
  }
  const signIn = useMutation({
    mutationFn: async () => {
      const totp = code === null ? {} : { totp: code }
      await enter(await call('POST /api/auth/login', { body: { username: username.trim(), password, ...totp } }))
    },
    onError: (error) => {
      const wants = error instanceof ApiError ? error.code : null
      if (wants === 'totp_required' && code === null) setCode('')
      else if (wants === 'totp_wrong') setCode('')
      else if (wants === 'wrong_credentials') setCode(null)
      passwordField.current?.select()
    },
  })
  const asked = signIn.error instanceof ApiError && signIn.error.code === 'totp_required'
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (!signIn.isPending) signIn.mutate()
  }
  const failure = signIn.isError && !asked && <ErrorNotice title={t('login.failed')} error={signIn.error} />
  const told = problem !== undefined && Object.hasOwn(PROBLEMS, problem) ? PROBLEMS[problem as Problem]() : null

  if (code !== null)
    return (
      <CodeStep
        code={code}
        onChange={setCode}
        onSubmit={submit}
        busy={signIn.isPending}
        failure={failure}
        onBack={() => {
          setCode(null)
          signIn.reset()
        }}
      />
    )
  return (
    <Door title={t('login.title')}>
      <form onSubmit={submit} className="space-y-4">
        {ended === 1 && !signIn.isError && <Notice tone="info">{t('login.ended')}</Notice>}
        {told !== null && !signIn.isError && (
          <Notice tone="danger" title={t('login.failed')}>
            {told}
          </Notice>
        )}
        {failure}
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
      {methods.data !== undefined && <OtherWays methods={methods.data} next={next} onEnter={enter} />}
    </Door>
  )
}

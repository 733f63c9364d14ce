import { getRouteApi, useRouter } from '@tanstack/react-router'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { ApiError } from '../api-error.ts'
import { call, setCsrfToken } from '../api.ts'
import { t } from '../i18n.ts'
import { CodeStep } from '../login/code-step.tsx'
import { OtherWays } from '../login/other-ways.tsx'
import { nextPath } from '../next-path.ts'
import { Button } from '../parts/button.tsx'
import { Door } from '../parts/door.tsx'
import { ErrorNotice } from '../parts/error-notice.tsx'
import { Notice } from '../parts/notice.tsx'
import { TextField } from '../parts/text-field.tsx'
import { sessionQuery } from '../queries.ts'
import { queryClient } from '../query-client.ts'

const route = getRouteApi('/login')

/** Reasons with which somebody comes back from the provider (contract/sign-in-methods.ts). */
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

/** Sign-in; afterwards back to where the person wanted to be (`?next=`, our own paths only). */
export function LoginPage() {
  const { next, ended, problem } = route.useSearch()
  const router = useRouter()
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  /** The password was right, and a code is asked for; null before that. */
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

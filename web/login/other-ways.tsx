import { useMutation } from '@tanstack/react-query'
import { KeyRound, LogIn } from 'lucide-react'
import { showPasskey } from '../account/passkey-ceremony.ts'
import { call, pathOf } from '../client/api.ts'
import type { Output } from '../client/api-types.ts'
import { t } from '../text/i18n.ts'
import { Button } from '../parts/controls/button.tsx'
import { ErrorNotice } from '../parts/feedback/error-notice.tsx'
import { Notice } from '../parts/feedback/notice.tsx'

interface OtherWaysProps {
  readonly methods: Output<'GET /api/auth/methods'>
  readonly next: string | undefined
  /** Called when a session has started. */
  onEnter(session: { csrf_token: string }): Promise<void>
}

/** Sign-in with a passkey or a provider, where available. */
export function OtherWays({ methods: { passkeys, openid }, next, onEnter }: OtherWaysProps) {
  const byPasskey = useMutation({
    mutationFn: async () => {
      const { options } = await call('POST /api/auth/passkey-login/options', { body: {} })
      const credential = await showPasskey(options)
      if (credential === null) return 'cancelled'
      await onEnter(await call('POST /api/auth/passkey-login', { body: { credential } }))
      return 'entered'
    },
  })
  const usable = passkeys && 'PublicKeyCredential' in window
  if (!usable && openid === null) return null
  return (
    <div className="mt-4 space-y-3">
      <p className="text-muted flex items-center gap-3 text-sm">
        <span aria-hidden className="bg-line h-px flex-1" />
        {t('login.or')}
        <span aria-hidden className="bg-line h-px flex-1" />
      </p>
      {byPasskey.isError && <ErrorNotice title={t('login.failed')} error={byPasskey.error} />}
      {byPasskey.data === 'cancelled' && <Notice tone="info">{t('login.passkey_cancelled')}</Notice>}
      {usable && (
        <Button icon={KeyRound} className="w-full" busy={byPasskey.isPending} onClick={() => byPasskey.mutate()}>
          {t('login.passkey')}
        </Button>
      )}
      {openid !== null && (
        <a
          href={pathOf('/api/auth/oidc/start', {}, { next })}
          className="border-line-strong/60 bg-surface hover:bg-hover flex h-9 w-full items-center justify-center gap-2 rounded-md border px-3.5 font-medium shadow-sm"
        >
          <LogIn aria-hidden className="size-4 shrink-0" />
          <span className="truncate">{t('login.openid', { name: openid.name })}</span>
        </a>
      )}
    </div>
  )
}

import { useMutation, useQuery } from '@tanstack/react-query'
import { KeyRound, LogIn } from 'lucide-react'
import { call, pathOf } from '../../client/api.ts'
import type { Output } from '../../client/api-types.ts'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { Dialog } from '../../parts/layout/dialog.tsx'
import { Notice } from '../../parts/feedback/notice.tsx'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { SkeletonRows } from '../../parts/feedback/skeleton.tsx'
import { showPasskey } from '../passkey-ceremony.ts'
import { settleConfirmation } from './confirm-request.ts'
import { ProofActions, ProofForm, useTypedProof } from './typed-proof.tsx'

type Ways = Output<'GET /api/auth/confirm'>

/** Nothing can be typed until it is known how the account can confirm its identity. */
const NO_WAYS = { password: false, code: false }

/** Has users confirm their identity by any method their account has, then continues with the original request. */
export function IdentityDialog() {
  const ways = useQuery({
    queryKey: ['account', 'confirm'],
    queryFn: ({ signal }) => call('GET /api/auth/confirm', { signal }),
    gcTime: 0,
  })
  const proof = useTypedProof(ways.data ?? NO_WAYS, async (body) => {
    await call('POST /api/auth/confirm', { body })
    settleConfirmation(true)
  })
  const byPasskey = useMutation({
    mutationFn: async () => {
      const { options } = await call('POST /api/auth/confirm/options', { body: {} })
      const credential = await showPasskey(options)
      return credential && call('POST /api/auth/confirm', { body: { credential } })
    },
    onSuccess: (answer) => answer !== null && settleConfirmation(true),
  })
  return (
    <Dialog
      open
      onOpenChange={(open) => open || settleConfirmation(false)}
      title={t('confirm.title')}
      size="sm"
      actions={<ProofActions proof={proof} verb={t('confirm.verb')} onCancel={() => settleConfirmation(false)} />}
    >
      <QueryView query={ways} failed={t('account.proof_failed')} loading={<SkeletonRows rows={2} />}>
        {(found) => (
          <ProofForm
            proof={proof}
            text={t('confirm.text')}
            otherError={byPasskey.error}
            notice={byPasskey.data === null && <Notice tone="info">{t('login.passkey_cancelled')}</Notice>}
          >
            {found.passkey && 'PublicKeyCredential' in window && (
              <Button icon={KeyRound} className="w-full" busy={byPasskey.isPending} onClick={() => byPasskey.mutate()}>
                {t('confirm.passkey')}
              </Button>
            )}
            <AtProvider ways={found} />
          </ProofForm>
        )}
      </QueryView>
    </Dialog>
  )
}

/** The provider asks for a new sign-in, which leaves this page. */
function AtProvider({ ways: { openid, password, code, passkey } }: { readonly ways: Ways }) {
  if (openid === null) return password || code || passkey ? null : <Notice tone="warn">{t('confirm.none')}</Notice>
  const next = location.pathname + location.search
  return (
    <div className="space-y-2">
      <a
        href={pathOf('/api/auth/oidc/start', {}, { next, again: 'true' })}
        className="border-line-strong/60 bg-surface hover:bg-hover flex h-9 w-full items-center justify-center gap-2 rounded-md border px-3.5 font-medium shadow-sm"
      >
        <LogIn aria-hidden className="size-4 shrink-0" />
        <span className="truncate">{t('confirm.openid', { name: openid })}</span>
      </a>
      <p className="text-muted text-sm">{t('confirm.openid_text')}</p>
    </div>
  )
}

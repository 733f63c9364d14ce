import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { KeySquare, Plug, Plus } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../client/api.ts'
import { t } from '../../text/i18n.ts'
import { ConfirmDialog } from '../../parts/layout/confirm-dialog.tsx'
import { Button } from '../../parts/controls/button.tsx'
import { EmptyState } from '../../parts/feedback/empty-state.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { Panel } from '../../parts/layout/panel.tsx'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { SkeletonRows } from '../../parts/feedback/skeleton.tsx'
import { toast } from '../../parts/feedback/toast.tsx'
import { type AccessToken, tokensQuery } from '../account-queries.ts'
import { type MadeToken, NewToken } from './new-token.tsx'
import { TokenDialog } from './token-dialog.tsx'
import { TokenRow } from './token-row.tsx'

/** Access tokens for scripts: create, view, revoke. */
export function TokensPart() {
  const query = useQuery(tokensQuery)
  const queryClient = useQueryClient()
  const [making, setMaking] = useState<MadeToken['audience'] | null>(null)
  const [made, setMade] = useState<MadeToken | null>(null)
  const [leaving, setLeaving] = useState<AccessToken | null>(null)
  const refresh = () => void queryClient.invalidateQueries({ queryKey: ['account', 'tokens'] })
  const revoke = useMutation({
    mutationFn: ({ token_id }: AccessToken) => call('DELETE /api/auth/tokens/{token_id}', { params: { token_id } }),
    onSuccess: (_answer, { name }) => toast({ text: t('account.token_revoked', { name }), tone: 'ok' }),
    onSettled: refresh,
  })
  const make = (
    <span className="flex flex-wrap gap-2">
      <Button icon={Plus} onClick={() => setMaking('api')}>
        {t('account.token_make')}
      </Button>
      <Button icon={Plug} onClick={() => setMaking('mcp')}>
        {t('account.client_connect')}
      </Button>
    </span>
  )
  return (
    <div className="max-w-2xl space-y-4">
      <p className="text-muted">{t('account.tokens_text')}</p>
      {revoke.isError && <ErrorNotice title={t('account.token_revoke_failed')} error={revoke.error} />}
      <QueryView
        query={query}
        failed={t('account.tokens_failed')}
        loading={<SkeletonRows rows={2} className="h-16 rounded-lg" />}
      >
        {(tokens) =>
          tokens.length === 0 ? (
            <Panel>
              <EmptyState
                icon={KeySquare}
                title={t('account.tokens_none')}
                text={t('account.tokens_none_text')}
                actions={make}
              />
            </Panel>
          ) : (
            <>
              <Panel>
                <ul className="divide-line divide-y">
                  {tokens.map((token) => (
                    <TokenRow key={token.token_id} token={token} onRevoke={() => setLeaving(token)} />
                  ))}
                </ul>
              </Panel>
              {make}
            </>
          )
        }
      </QueryView>
      {making !== null && (
        <TokenDialog
          audience={making}
          onClose={() => setMaking(null)}
          onMade={(token) => {
            setMaking(null)
            setMade(token)
            refresh()
          }}
        />
      )}
      {made !== null && <NewToken made={made} onClose={() => setMade(null)} />}
      {leaving !== null && (
        <ConfirmDialog
          title={t('account.token_revoke_title', { name: leaving.name })}
          text={t('account.token_revoke_text')}
          verb={t('account.token_revoke')}
          danger
          onConfirm={() => revoke.mutate(leaving)}
          onClose={() => setLeaving(null)}
        />
      )}
    </div>
  )
}

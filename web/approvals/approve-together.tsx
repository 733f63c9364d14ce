import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Approval } from '../../contract/chat.ts'
import { call } from '../client/api.ts'
import { t } from '../text/i18n.ts'
import { Button } from '../parts/controls/button.tsx'
import { disarmAll, useArmed } from '../parts/controls/use-armed.ts'
import { announce } from '../parts/feedback/announcer.tsx'
import { ErrorNotice } from '../parts/feedback/error-notice.tsx'
import { useSeenCards } from './seen-cards.ts'

/**
 * Below the cards of one step: says that its calls wait for each other, and approves them all, once each card was in view.
 * Nothing where fewer than two wait.
 */
export function ApproveTogether({ cards }: { readonly cards: readonly Approval[] }) {
  const waiting = cards.filter(
    ({ status, decisions, kind }) => status === 'pending' && kind === 'call' && decisions.includes('approve'),
  )
  return waiting.length < 2 ? null : <Together cards={waiting} />
}

function Together({ cards }: { readonly cards: readonly Approval[] }) {
  const queryClient = useQueryClient()
  const armed = useArmed()
  const seen = useSeenCards()
  const count = cards.length
  const unseen = cards.some(({ approval_id }) => !seen.has(approval_id))
  const approving = useMutation({
    // One after the other: the first that is refused stops the rest.
    mutationFn: async () => {
      for (const { approval_id } of cards)
        await call('POST /api/chat/approvals/{approval_id}', {
          params: { approval_id },
          body: { decision: 'approve' },
          headers: { prefer: 'respond-async' },
        })
    },
    onSuccess: () => {
      announce(t('approval_status.approved'))
      disarmAll()
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['approvals'] }),
  })
  return (
    <div className="space-y-2">
      {approving.isError && <ErrorNotice title={t('approval.not_decided')} error={approving.error} />}
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 px-1">
        <p className="text-muted text-sm">
          {t('approval.together', { count })}
          {unseen && ` ${t('approval.together_unseen')}`}
        </p>
        <Button
          size="sm"
          variant={cards.some(({ effect }) => effect === 'destructive') ? 'danger' : 'secondary'}
          disabled={!armed || unseen}
          busy={approving.isPending}
          onClick={() => approving.mutate()}
        >
          {t('approval.approve_together', { count })}
        </Button>
      </div>
    </div>
  )
}

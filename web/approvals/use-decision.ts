import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Approval } from '../../contract/chat.ts'
import type { CallOptions } from '../client/api-types.ts'
import { call } from '../client/api.ts'
import { othersApprovalsQuery } from '../client/queries.ts'
import { t } from '../text/i18n.ts'
import { announce } from '../parts/feedback/announcer.tsx'
import { disarmAll } from '../parts/controls/use-armed.ts'

export type Decision = CallOptions<'POST /api/chat/approvals/{approval_id}'>['body']

/** What of a card is needed to decide it. */
export type Decidable = Pick<Approval, 'approval_id' | 'effect' | 'decisions' | 'offers'>
/** Tells the server, and gives the card as it is then. */
export type Send<Card> = (approvalId: string, body: Decision) => Promise<Card>

/** Decides a card of the user's own. */
export async function decideOwn(approval_id: string, body: Decision): Promise<Approval> {
  const headers = { prefer: 'respond-async' }
  return (await call('POST /api/chat/approvals/{approval_id}', { params: { approval_id }, body, headers })).approval
}

/** Decides a card: tells the server, then the caller, and refreshes the lists. */
export function useDecision<Card extends Pick<Approval, 'status'>>(
  { approval_id }: Decidable,
  send: Send<Card>,
  onDecided: (approval: Card) => void,
) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (body: Decision) => send(approval_id, body),
    onSuccess: (approval) => {
      announce(t(`approval_status.${approval.status}`))
      disarmAll()
      onDecided(approval)
    },
    // Also after a refusal: the card was decided elsewhere or has expired, so the lists are out of date.
    onSettled: () =>
      Promise.all(
        [['approvals'], othersApprovalsQuery.queryKey].map((queryKey) => queryClient.invalidateQueries({ queryKey })),
      ),
  })
}

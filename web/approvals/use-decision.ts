import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Approval } from '../../contract/chat.ts'
import type { CallOptions } from '../client/api-types.ts'
import { call } from '../client/api.ts'
import { t } from '../text/i18n.ts'
import { announce } from '../parts/feedback/announcer.tsx'
import { disarmAll } from '../parts/controls/use-armed.ts'

export type Decision = CallOptions<'POST /api/chat/approvals/{approval_id}'>['body']

/** Decides a card: tells the server, then the caller, and refreshes the lists. */
export function useDecision(approval: Approval, onDecided: (approval: Approval) => void) {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (body: Decision) =>
      call('POST /api/chat/approvals/{approval_id}', {
        params: { approval_id: approval.approval_id },
        body,
        headers: { prefer: 'respond-async' },
      }),
    onSuccess: (answer) => {
      announce(t(`approval_status.${answer.approval.status}`))
      disarmAll()
      onDecided(answer.approval)
    },
    // Also after a refusal: the card was decided elsewhere or has expired, so the lists are out of date.
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['approvals'] }),
  })
}

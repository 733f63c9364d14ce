import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { Approval } from '../../contract/chat.ts'
import type { CallOptions } from '../api-types.ts'
import { call } from '../api.ts'
import { t } from '../i18n.ts'
import { announce } from './announcer.tsx'
import { disarmAll } from './use-armed.ts'

export type Decision = CallOptions<'POST /api/chat/approvals/{approval_id}'>['body']

/** Decides a card: tells the server, then whoever listens, and has the lists read again. */
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
    // Also after a refusal: somebody else has decided, or it has expired, and the lists are out of date.
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['approvals'] }),
  })
}

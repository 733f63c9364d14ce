import { useQuery } from '@tanstack/react-query'
import { type Approval, pendingApprovalsQuery } from '../client/queries.ts'

const NONE: readonly Approval[] = []

/** How many approvals wait for the user; null until known. */
export function usePendingApprovals(): number | null {
  return useQuery(pendingApprovalsQuery).data?.items.length ?? null
}

/** The cards that wait in a conversation. */
export function usePendingCards(conversationId: string | null): readonly Approval[] {
  const cards = useQuery({
    ...pendingApprovalsQuery,
    select: ({ items }) => items.filter((card) => card.conversation_id === conversationId),
  })
  return cards.data ?? NONE
}

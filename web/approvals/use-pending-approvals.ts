import { useQuery } from '@tanstack/react-query'
import { type Approval, type OthersApproval, othersApprovalsQuery, pendingApprovalsQuery } from '../client/queries.ts'

const NONE: readonly Approval[] = []
const NO_OTHERS: readonly OthersApproval[] = []

/** How many approvals and offers wait for the user, those of others included; null until known. */
export function usePendingApprovals(): number | null {
  const own = useQuery(pendingApprovalsQuery).data?.items.filter(isForMe).length ?? null
  const others = useOthersCount()
  return own === null ? null : own + others
}

/** Cards of others that wait for the user's vote. */
export function useOthersWaiting(): readonly OthersApproval[] {
  return useQuery(othersApprovalsQuery).data?.items.filter((card) => card.my_vote === null) ?? NO_OTHERS
}

/** How many cards of others, requests for a role and offered conversations wait for the user. */
export function useOthersCount(): number {
  return useOthersWaiting().length + useElevationsWaiting() + useOffersWaiting()
}

/** How many requests for a role for a while wait for the user's vote. */
export function useElevationsWaiting(): number {
  return useQuery(othersApprovalsQuery).data?.elevations ?? 0
}

/** How many conversations are offered to the user. */
export function useOffersWaiting(): number {
  return useQuery(othersApprovalsQuery).data?.handovers ?? 0
}

/** Whether the user decides the card: not where others do. */
export function isForMe({ needs }: Approval): boolean {
  return needs === undefined
}

/** The cards that wait in a conversation. */
export function usePendingCards(conversationId: string | null): readonly Approval[] {
  const cards = useQuery({
    ...pendingApprovalsQuery,
    select: ({ items }) => items.filter((card) => card.conversation_id === conversationId),
  })
  return cards.data ?? NONE
}

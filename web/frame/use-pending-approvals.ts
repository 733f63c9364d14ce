import { useQuery } from '@tanstack/react-query'
import { pendingApprovalsQuery } from '../queries.ts'

/** How many approvals wait for the user; null until known. */
export function usePendingApprovals(): number | null {
  return useQuery(pendingApprovalsQuery).data?.items.length ?? null
}

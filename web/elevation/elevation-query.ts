import { queryOptions } from '@tanstack/react-query'
import { call } from '../client/api.ts'
import { othersApprovalsQuery } from '../client/queries.ts'

/** Requests for a role for a while: the user's own, and those of others. Stale with the cards of others, and like them. */
export const elevationsQuery = queryOptions({
  queryKey: [...othersApprovalsQuery.queryKey, 'elevations'],
  queryFn: ({ signal }) => call('GET /api/elevations', { signal }),
})

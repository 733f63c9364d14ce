import { queryOptions } from '@tanstack/react-query'
import { call } from '../client/api.ts'

/** System status. Measured in the background: a second request soon after the first has everything. */
export const dashboardQuery = queryOptions({
  queryKey: ['dashboard'],
  queryFn: ({ signal }) => call('GET /api/dashboard', { signal }),
  staleTime: 0,
  refetchInterval: (query) => (query.state.data?.modules != null && query.state.data.storage === null ? 1000 : 60_000),
})

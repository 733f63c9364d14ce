import { queryOptions } from '@tanstack/react-query'
import { call } from '../api.ts'

/** The state of things. Measured in the background: a second look soon after the first has all of it. */
export const dashboardQuery = queryOptions({
  queryKey: ['dashboard'],
  queryFn: ({ signal }) => call('GET /api/dashboard', { signal }),
  staleTime: 0,
  refetchInterval: (query) => (query.state.data?.modules != null && query.state.data.storage === null ? 1000 : 60_000),
})

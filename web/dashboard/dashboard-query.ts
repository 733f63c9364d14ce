import { queryOptions } from '@tanstack/react-query'
import { call } from '../client/api.ts'

/** System status. Measured in the background: a second request soon after the first has everything. */
export const dashboardQuery = queryOptions({
  queryKey: ['dashboard'],
  queryFn: ({ signal }) => call('GET /api/dashboard', { signal }),
  staleTime: 0,
  refetchInterval: (query) => (query.state.data?.modules != null && query.state.data.storage === null ? 1000 : 60_000),
})

/** All machines at a glance. The service looks at them while somebody asks; what is new comes with the next answer. */
export const hostFiguresQuery = queryOptions({
  queryKey: ['hosts', 'figures'],
  queryFn: ({ signal }) => call('GET /api/hosts/figures', { signal }),
  staleTime: 0,
  refetchInterval: (query) => {
    const { items = [] } = query.state.data ?? {}
    if (items.length <= 1) return false
    return items.some(({ looking }) => looking) ? 1500 : 30_000
  },
})

import { queryOptions } from '@tanstack/react-query'
import { call } from '../../client/api.ts'

/** All users' unfinished runs. Events report only one's own runs, so this is polled. */
export const liveRunsQuery = queryOptions({
  queryKey: ['live-runs'],
  queryFn: ({ signal }) => call('GET /api/admin/runs', { signal }),
  staleTime: 0,
  refetchInterval: 2000,
})

/** What is switched off for all users. */
export const switchesQuery = queryOptions({
  queryKey: ['switches'],
  queryFn: async ({ signal }) => (await call('GET /api/admin/switches', { signal })).items,
  staleTime: 0,
})

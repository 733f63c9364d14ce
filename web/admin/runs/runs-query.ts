import { queryOptions } from '@tanstack/react-query'
import { call } from '../../api.ts'

/** All unfinished runs of everybody; no event tells of those of others, so it is asked for again and again. */
export const liveRunsQuery = queryOptions({
  queryKey: ['live-runs'],
  queryFn: ({ signal }) => call('GET /api/admin/runs', { signal }),
  staleTime: 0,
  refetchInterval: 2000,
})

/** What is switched off for everybody. */
export const switchesQuery = queryOptions({
  queryKey: ['switches'],
  queryFn: async ({ signal }) => (await call('GET /api/admin/switches', { signal })).items,
  staleTime: 0,
})

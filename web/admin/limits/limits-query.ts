import { queryOptions } from '@tanstack/react-query'
import { call } from '../../client/api.ts'

export const quotasQuery = queryOptions({
  queryKey: ['quotas'],
  queryFn: ({ signal }) => call('GET /api/admin/quotas', { signal }),
  staleTime: 0,
})

export function usageQuery(days: number) {
  return queryOptions({
    queryKey: ['usage', days],
    queryFn: ({ signal }) => call('GET /api/admin/usage', { query: { days }, signal }),
    staleTime: 0,
  })
}

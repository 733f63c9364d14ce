import { queryOptions } from '@tanstack/react-query'
import { call } from '../../api.ts'

/** The engine that is set. No event tells of its changes. */
export const engineQuery = queryOptions({
  queryKey: ['engine'],
  queryFn: ({ signal }) => call('GET /api/admin/ai', { signal }),
  staleTime: 0,
})

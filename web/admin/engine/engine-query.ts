import { queryOptions } from '@tanstack/react-query'
import { call } from '../../client/api.ts'

/** The configured engine. No event reports changes to it. */
export const engineQuery = queryOptions({
  queryKey: ['engine'],
  queryFn: ({ signal }) => call('GET /api/admin/ai', { signal }),
  staleTime: 0,
})

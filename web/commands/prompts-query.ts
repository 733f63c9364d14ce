import { queryOptions } from '@tanstack/react-query'
import { call } from '../api.ts'

/** Prompts that the running modules bring along. Under `modules`, so that a change of a module makes it stale. */
export const promptsQuery = queryOptions({
  queryKey: ['modules', 'prompts'],
  queryFn: ({ signal }) => call('GET /api/chat/prompts', { signal }),
  staleTime: 60_000,
})

import { queryOptions } from '@tanstack/react-query'
import { call } from '../client/api.ts'

/** Prompts provided by running modules. Keyed under `modules`, so that a change to a module makes it stale. */
export const promptsQuery = queryOptions({
  queryKey: ['modules', 'prompts'],
  queryFn: ({ signal }) => call('GET /api/chat/prompts', { signal }),
  staleTime: 60_000,
})

import { queryOptions } from '@tanstack/react-query'
import { call } from '../../../client/api.ts'

export interface Completed {
  readonly module: string
  readonly of: { readonly prompt: string } | { readonly template: string }
  readonly argument: string
  readonly value: string
  /** The other arguments as far as they are filled in. */
  readonly given: Record<string, string>
}

export const resourcesQuery = (q: string) =>
  queryOptions({
    queryKey: ['modules', 'resources', q],
    queryFn: ({ signal }) => call('GET /api/chat/resources', { query: { q }, signal }),
    staleTime: 10_000,
    placeholderData: (before) => before,
  })

export const suggestionsQuery = (completed: Completed) =>
  queryOptions({
    queryKey: ['modules', 'suggestions', completed],
    queryFn: ({ signal }) => call('POST /api/chat/suggestions', { body: completed, signal }),
    staleTime: 30_000,
    retry: false,
    placeholderData: (before) => before,
  })

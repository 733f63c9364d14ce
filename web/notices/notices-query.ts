import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../client/api.ts'
import type { Output } from '../client/api-types.ts'

export type Notice = Output<'GET /api/notices'>['items'][number]

/** What the user has not read yet, the newest of it. */
export const unreadNoticesQuery = queryOptions({
  queryKey: ['notices', 'unread'],
  queryFn: ({ signal }) => call('GET /api/notices', { query: { unread: 'true', limit: 5 }, signal }),
  staleTime: 60_000,
})

/** Marks one notice as read, or all up to one. */
export function useReading() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (what: { readonly notice_id: string } | { readonly until: string }): Promise<unknown> =>
      'until' in what
        ? call('POST /api/notices/read', { body: what })
        : call('POST /api/notices/{notice_id}/read', { params: what }),
    onSettled: () => client.invalidateQueries({ queryKey: ['notices'] }),
  })
}

import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { call } from '../client/api.ts'
import type { Output } from '../client/api-types.ts'
import { dayRange } from '../text/day-range.ts'

export type Change = Output<'GET /api/changes'>['items'][number]

/** Filters of the list, as in the page's address. Days are dates in the reader's time zone: `2026-05-01`. */
export interface ChangesSearch {
  /** Id of the user whose calls they were. */
  readonly user?: string | undefined
  /** `<module>.<tool>`, or a module. */
  readonly tool?: string | undefined
  readonly host?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
}

export const FILTERS = ['user', 'tool', 'host', 'from', 'to'] as const

/** What calls have changed, newest first, page by page. */
export function changesQuery({ user, tool, host, from, to }: ChangesSearch) {
  return infiniteQueryOptions({
    queryKey: ['changes', { user, tool, host, from, to }],
    queryFn: ({ signal, pageParam }) =>
      call('GET /api/changes', {
        query: {
          ...(user ? { user_id: user } : {}),
          ...(tool ? { tool } : {}),
          ...(host ? { host } : {}),
          ...dayRange(from, to),
          ...(pageParam === null ? {} : { cursor: pageParam }),
        },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    placeholderData: (before) => before,
    staleTime: 0,
  })
}

export function changeQuery(change_id: string) {
  return queryOptions({
    queryKey: ['changes', 'one', change_id],
    queryFn: ({ signal }) => call('GET /api/changes/{change_id}', { params: { change_id }, signal }),
  })
}

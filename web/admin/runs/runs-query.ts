import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { call } from '../../client/api.ts'
import { dayRange } from '../../text/day-range.ts'

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

export const ENDED = ['done', 'failed', 'cancelled', 'interrupted'] as const

/** Filters of past runs, as in the page's address. Days are dates in the reader's time zone: `2026-05-01`. */
export interface RunSearch {
  /** Id of a user. */
  readonly user?: string | undefined
  readonly state?: string | undefined
  /** `direct`, or `model:` and the name of a model. */
  readonly model?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
}

/** Runs that have ended, newest first, page by page. */
export function pastRunsQuery({ user, state, model, from, to }: RunSearch) {
  const status = ENDED.find((one) => one === state)
  const query = {
    ...(user ? { user_id: user } : {}),
    ...(status === undefined ? {} : { status }),
    ...(model === 'direct' ? { ai_mode: 'direct' as const } : {}),
    ...(model?.startsWith('model:') ? { model: model.slice('model:'.length) } : {}),
    ...dayRange(from, to),
  }
  return infiniteQueryOptions({
    queryKey: ['past-runs', query],
    queryFn: ({ signal, pageParam }) =>
      call('GET /api/admin/runs/history', {
        query: { ...query, limit: 50, ...(pageParam === null ? {} : { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    placeholderData: (before) => before,
    staleTime: 0,
  })
}

/** The first users by name, to choose from. */
export const runPeopleQuery = queryOptions({
  queryKey: ['users', 'runs'],
  queryFn: async ({ signal }) => (await call('GET /api/admin/users', { query: { limit: 200 }, signal })).items,
})

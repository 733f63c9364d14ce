import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { call } from '../../client/api.ts'
import type { Output } from '../../client/api-types.ts'

export type User = Output<'GET /api/admin/users'>['items'][number]
export const USER_STATES = ['active', 'invited', 'disabled'] as const
export type UserState = (typeof USER_STATES)[number]

/** Filters of the user list. */
export interface UserSearch {
  readonly q: string
  readonly role: string | null
  readonly state: UserState | null
}

export const EVERYONE: UserSearch = { q: '', role: null, state: null }

const PAGE = 50

/** All users, page by page. A change to one user makes everything under `users` stale. */
export function usersQuery({ q, role, state }: UserSearch) {
  return infiniteQueryOptions({
    queryKey: ['users', 'list', q, role, state],
    queryFn: ({ signal, pageParam }) =>
      call('GET /api/admin/users', {
        query: {
          limit: PAGE,
          q,
          ...(role === null ? {} : { role_id: role }),
          ...(state === null ? {} : { state }),
          ...(pageParam === null ? {} : { cursor: pageParam }),
        },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    placeholderData: (before) => before,
  })
}

/** Where a user is signed in. */
export function userSessionsQuery(userId: string) {
  return queryOptions({
    queryKey: ['users', 'sessions', userId],
    queryFn: ({ signal }) => call('GET /api/admin/users/{user_id}/sessions', { params: { user_id: userId }, signal }),
    staleTime: 0,
  })
}

/** The name to display: the display name, with the username where that adds information. */
export function nameOf({ display_name, username }: Pick<User, 'display_name' | 'username'>): string {
  return display_name === '' ? username : display_name
}

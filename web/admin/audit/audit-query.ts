import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { call, pathOf } from '../../client/api.ts'
import type { Output } from '../../client/api-types.ts'
import { dayRange } from '../../text/day-range.ts'

export type AuditEntry = Output<'GET /api/admin/audit'>['items'][number]
export const OUTCOMES = ['ok', 'refused', 'failed'] as const

/** Filters of the log, as in the page's address. Days are dates in the reader's time zone: `2026-05-01`. */
export interface AuditSearch {
  readonly q?: string | undefined
  readonly action?: string | undefined
  /** Id of the user who acted. */
  readonly user?: string | undefined
  readonly target?: string | undefined
  /** `<module>.<tool>`, or a module. */
  readonly tool?: string | undefined
  readonly host?: string | undefined
  readonly outcome?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
}

const PAGE = 50

/** How long the log is kept, and the people that it can be searched for. */
export const aboutAuditQuery = queryOptions({
  queryKey: ['audit-about'],
  queryFn: ({ signal }) => call('GET /api/admin/audit/about', { signal }),
})

/** The audit log, newest first, page by page. */
export function auditQuery(search: AuditSearch) {
  return infiniteQueryOptions({
    queryKey: ['audit', search],
    queryFn: ({ signal, pageParam }) =>
      call('GET /api/admin/audit', {
        query: { ...filtersOf(search), limit: PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    placeholderData: (before) => before,
    staleTime: 0,
  })
}

/** Address that exports what is shown. */
export function exportAddress(search: AuditSearch): string {
  return pathOf('/api/admin/audit/export', {}, filtersOf(search))
}

function filtersOf({ q, action, user, target, tool, host, outcome, from, to }: AuditSearch) {
  const known = OUTCOMES.find((one) => one === outcome)
  return {
    ...(q ? { q } : {}),
    ...(action ? { action } : {}),
    ...(user ? { actor_id: user } : {}),
    ...(target ? { target } : {}),
    ...(tool ? { tool } : {}),
    ...(host ? { host } : {}),
    ...(known === undefined ? {} : { outcome: known }),
    ...dayRange(from, to),
  }
}

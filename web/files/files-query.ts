import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { call } from '../client/api.ts'
import type { FileSearch, ShownKind } from './files-search.ts'

const PAGE = 100

/** The user's stored files, page by page. */
export function filesQuery({ q, kind, sort }: FileSearch) {
  return infiniteQueryOptions({
    queryKey: ['files', 'list', q, kind, sort],
    queryFn: ({ signal, pageParam }) =>
      call('GET /api/files', {
        query: { limit: PAGE, q, sort, ...kindQuery(kind), ...(pageParam === null ? {} : { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    placeholderData: (before) => before,
  })
}

function kindQuery(kind: ShownKind | null) {
  if (kind === null) return {}
  return kind === 'deleted' ? { deleted: 'true' as const } : { kind }
}

/** One file, for an address with its id. */
export function fileQuery(fileId: string) {
  return queryOptions({
    queryKey: ['files', 'one', fileId],
    queryFn: async ({ signal }) =>
      (await call('GET /api/files/{file_id}', { params: { file_id: fileId }, signal })).file,
  })
}

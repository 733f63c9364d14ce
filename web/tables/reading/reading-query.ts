import { queryOptions } from '@tanstack/react-query'
import { call } from '../../client/api.ts'
import type { Output } from '../../client/api-types.ts'

export type Reading = Output<'GET /api/files/{file_id}/table/reading'>

/** How a sheet is read, and which parts of that were chosen by a user. */
export function readingQuery(fileId: string, sheet: string) {
  return queryOptions({
    queryKey: ['table-reading', fileId, sheet] as const,
    queryFn: ({ signal }): Promise<Reading> =>
      call('GET /api/files/{file_id}/table/reading', { params: { file_id: fileId }, query: { sheet }, signal }),
    gcTime: 0,
  })
}

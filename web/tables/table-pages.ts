import { queryOptions, type QueryClient } from '@tanstack/react-query'
import type { ChartSuggestion } from '../../contract/chart-suggestion.ts'
import type { TableChartResult } from '../../contract/table-chart.ts'
import type { TableResult } from '../../contract/tables.ts'
import { call } from '../client/api.ts'
import { ApiError } from '../client/api-error.ts'
import type { GridRow } from './grid/grid-source.ts'

/** What a page belongs to: a sheet of a file under a view (as JSON). */
export interface TablePlace {
  readonly fileId: string
  /** Empty: the first one. */
  readonly sheet: string
  readonly view: string
}

/** Rows per page when viewing, and when reading everything. */
export const PAGE_ROWS = 100
const BULK_ROWS = 500
/**
 * Milliseconds that a page out of view is kept, so that scrolling back is instant and millions of rows do not pile up.
 */
const KEPT = 20_000
/** Polling interval, in milliseconds, for a file that is still being read. */
const AGAIN = 700

export function pageQuery({ fileId, sheet, view }: TablePlace, page: number, size = PAGE_ROWS) {
  return queryOptions({
    queryKey: ['table', fileId, sheet, view, size, page] as const,
    queryFn: ({ signal }): Promise<TableResult> =>
      call('GET /api/files/{file_id}/table', {
        params: { file_id: fileId },
        query: { page, page_size: size, view, sheet },
        signal,
      }),
    // The bytes of a stored file never change.
    staleTime: Infinity,
    gcTime: KEPT,
    retry: (failures, error) => failures < 1 && !(error instanceof ApiError && error.status < 500 && error.status > 0),
    refetchInterval: (query) => (query.state.data?.preparing === true ? AGAIN : false),
  })
}

/** A range of rows, `last` inclusive, in as few requests as the server allows. */
export async function fetchRows(
  client: QueryClient,
  place: TablePlace,
  first: number,
  last: number,
): Promise<readonly GridRow[]> {
  const rows: GridRow[] = []
  const from = Math.floor(first / BULK_ROWS)
  for (let page = from; page * BULK_ROWS <= last; page++) {
    const result = await client.fetchQuery(pageQuery(place, page + 1, BULK_ROWS))
    rows.push(...result.rows)
    if (result.rows.length < BULK_ROWS) break
  }
  return rows.slice(first - from * BULK_ROWS, last - from * BULK_ROWS + 1)
}

/** What a chart of all rows of a view draws. */
export function fetchChart({ fileId, sheet, view }: TablePlace, choice: ChartSuggestion): Promise<TableChartResult> {
  return call('GET /api/files/{file_id}/table/chart', {
    params: { file_id: fileId },
    query: { chart: JSON.stringify(choice), view, sheet },
  })
}

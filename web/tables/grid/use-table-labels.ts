import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { call } from '../../client/api.ts'
import type { GridColumn } from './grid-source.ts'

/** Same as in the contract, which cannot be loaded here without zod. */
const KEYS = 200
const KEY_LENGTH = 200

/** How columns are named: as in the table, made readable, or by raw key. */
export type ColumnNames = 'given' | 'readable' | 'key'

/**
 * The columns under the chosen kind of name. Readable names are fetched on demand; until then the given names are
 * shown.
 */
export function useTableLabels(columns: readonly GridColumn[], title: string, names: ColumnNames) {
  const keys = useMemo(
    () =>
      columns
        .map(({ key }) => key)
        .filter((key) => key.length > 0 && key.length <= KEY_LENGTH)
        .slice(0, KEYS),
    [columns],
  )
  const query = useQuery({
    queryKey: ['table-labels', title, keys],
    queryFn: ({ signal }) => call('POST /api/chat/table-labels', { body: { keys: [...keys], title }, signal }),
    enabled: names === 'readable' && keys.length > 0,
    staleTime: Infinity,
    retry: false,
  })
  const labels = query.data?.columns
  const named = useMemo(
    () =>
      names === 'given'
        ? columns
        : columns.map((column) => ({
            ...column,
            label: names === 'key' ? column.key : (labels?.[column.key] ?? column.label),
          })),
    [columns, names, labels],
  )
  return { columns: named, error: names === 'readable' ? query.error : null, loading: query.isFetching }
}

import type { TableFilterOp, TableView } from '../../contract/tables.ts'

/** The search, filters and sort of a table, as the table routes take them. */
export interface GridView {
  readonly search: string
  readonly filters: readonly TableFilter[]
  readonly sort: readonly TableSort[]
}
export interface TableSort {
  readonly column: string
  readonly dir: 'asc' | 'desc'
}
export type FilterOp = TableFilterOp
export type FilterValue = string | number | boolean | readonly (string | number | boolean)[]
export interface TableFilter {
  readonly column: string
  readonly op: FilterOp
  /** Omitted for `empty` and `not_empty`; a list for `in`. */
  readonly value?: FilterValue
}

export const WHOLE: GridView = { search: '', filters: [], sort: [] }

/** First click ascending, second descending, third back to the original order. */
export function nextSort(sort: readonly TableSort[], column: string): readonly TableSort[] {
  const [first] = sort
  if (first?.column !== column) return [{ column, dir: 'asc' }]
  return first.dir === 'asc' ? [{ column, dir: 'desc' }] : []
}

/** The view as the routes take it: only what is set, so that equal views are equal as text. */
export function viewBody({ search, filters, sort }: GridView): TableView {
  const wanted = search.trim()
  return {
    ...(wanted === '' ? {} : { search: wanted }),
    ...(filters.length === 0 ? {} : { filters: filters.map(filterBody) }),
    ...(sort.length === 0 ? {} : { sort: [...sort] }),
  }
}

function filterBody({ column, op, value }: TableFilter): NonNullable<TableView['filters']>[number] {
  if (value === undefined) return { column, op }
  return { column, op, value: typeof value === 'object' ? [...value] : value }
}

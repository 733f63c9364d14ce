import type { TableFilterOp, TableView as ViewBody } from '../../contract/tables.ts'

/** What part of a table is looked at, as the route of tables reads it. */
export interface TableView {
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
  /** Left out for `empty` and `not_empty`, a list for `in`. */
  readonly value?: FilterValue
}

export const WHOLE: TableView = { search: '', filters: [], sort: [] }

/** First click ascending, second descending, third back to the order in which the rows came. */
export function nextSort(sort: readonly TableSort[], column: string): readonly TableSort[] {
  const [first] = sort
  if (first?.column !== column) return [{ column, dir: 'asc' }]
  return first.dir === 'asc' ? [{ column, dir: 'desc' }] : []
}

/** The view as the routes read it: only what is set, so that the same view is always the same text. */
export function viewBody({ search, filters, sort }: TableView): ViewBody {
  const wanted = search.trim()
  return {
    ...(wanted === '' ? {} : { search: wanted }),
    ...(filters.length === 0 ? {} : { filters: filters.map(filterBody) }),
    ...(sort.length === 0 ? {} : { sort: [...sort] }),
  }
}

function filterBody({ column, op, value }: TableFilter): NonNullable<ViewBody['filters']>[number] {
  if (value === undefined) return { column, op }
  return { column, op, value: typeof value === 'object' ? [...value] : value }
}

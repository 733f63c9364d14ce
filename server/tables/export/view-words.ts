import type { FilterOp } from '../../../contract/filter-ops.ts'
import type { TableView } from '../table-view.ts'

const WORDS: Record<FilterOp, string> = {
  eq: 'is',
  ne: 'is not',
  lt: 'is less than',
  lte: 'is at most',
  gt: 'is more than',
  gte: 'is at least',
  contains: 'contains',
  starts_with: 'starts with',
  in: 'is one of',
  empty: 'is empty',
  not_empty: 'is not empty',
}

/** What a view shows, in words: for people who get the file without having seen the screen. */
export function viewWords(view: TableView, label: (key: string) => string): string {
  const parts: string[] = []
  if (view.search) parts.push(`Rows with "${view.search}" in any cell.`)
  const filters = (view.filters ?? []).map(({ column, op, value }) => {
    const shown = value === undefined ? '' : ` ${Array.isArray(value) ? value.map(quoted).join(', ') : quoted(value)}`
    return `"${label(column)}" ${WORDS[op]}${shown}`
  })
  if (filters.length > 0) parts.push(`Rows where ${filters.join(' and ')}.`)
  const sort = (view.sort ?? []).map(
    ({ column, dir }) => `"${label(column)}" ${dir === 'asc' ? 'ascending' : 'descending'}`,
  )
  parts.push(sort.length > 0 ? `Sorted by ${sort.join(', then ')}.` : 'In the order of the source.')
  if (filters.length === 0 && !view.search) parts.unshift('All rows.')
  return parts.join(' ')
}

function quoted(value: unknown): string {
  return typeof value === 'string' ? `"${value}"` : String(value)
}

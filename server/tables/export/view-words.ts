import type { FilterOp } from '../../../contract/filter-ops.ts'
import { inARow } from '../../kernel/joined-sentences.ts'
import { say, type Sentence } from '../../kernel/sentence.ts'
import type { SheetView } from '../shape/sheet-view.ts'

const CONDITIONS: Record<FilterOp, (column: string, value: string) => Sentence> = {
  eq: (column, value) => say`"${column}" is ${value}`,
  ne: (column, value) => say`"${column}" is not ${value}`,
  lt: (column, value) => say`"${column}" is less than ${value}`,
  lte: (column, value) => say`"${column}" is at most ${value}`,
  gt: (column, value) => say`"${column}" is more than ${value}`,
  gte: (column, value) => say`"${column}" is at least ${value}`,
  contains: (column, value) => say`"${column}" contains ${value}`,
  starts_with: (column, value) => say`"${column}" starts with ${value}`,
  in: (column, value) => say`"${column}" is one of ${value}`,
  empty: (column) => say`"${column}" is empty`,
  not_empty: (column) => say`"${column}" is not empty`,
}

/** Describes the rows of a view and their order, for people who get the file without having seen the page. */
export function viewWords(view: SheetView, label: (key: string) => string): Sentence {
  const filters = (view.filters ?? []).map(({ column, op, value }) => {
    const shown = Array.isArray(value) ? value.map(quoted).join(', ') : quoted(value)
    return CONDITIONS[op](label(column), shown)
  })
  const sort = (view.sort ?? []).map(({ column, dir }) =>
    dir === 'asc' ? say`"${label(column)}" ascending` : say`"${label(column)}" descending`,
  )
  const order =
    sort.length > 0
      ? say`Sorted by ${sort.reduce((before, next) => say`${before}, then ${next}`)}.`
      : say`In the order of the source.`
  const rows = [
    ...(view.search ? [say`Rows with "${view.search}" in any cell.`] : []),
    ...(filters.length > 0 ? [say`Rows where ${filters.reduce((before, next) => say`${before} and ${next}`)}.`] : []),
  ]
  const [first = say`All rows.`, ...others] = rows
  return inARow([first, ...others, order])
}

function quoted(value: unknown): string {
  return typeof value === 'string' ? `"${value}"` : String(value)
}

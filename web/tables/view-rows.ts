import type { GridCell, GridColumn, GridRow } from './grid-source.ts'
import type { TableFilter, TableView } from './table-view.ts'

type Format = (row: GridRow, column: GridColumn) => string

/** The rows that a view leaves of a table in memory, in its order; rows that compare equal keep theirs. Search looks at cells as shown. */
export function viewRows(
  columns: readonly GridColumn[],
  rows: readonly GridRow[],
  view: TableView,
  format: Format,
): readonly GridRow[] {
  const wanted = fold(view.search.trim())
  const found = rows.filter(
    (row) =>
      view.filters.every((filter) => matches(row[filter.column], filter)) &&
      (wanted === '' || columns.some((column) => fold(format(row, column)).includes(wanted))),
  )
  if (view.sort.length === 0) return found
  return found.toSorted((a, b) => {
    for (const { column, dir } of view.sort) {
      const order = compareCells(a[column], b[column], dir === 'asc' ? 1 : -1)
      if (order !== 0) return order
    }
    return 0
  })
}

/** An empty cell is unequal to every value, and neither smaller nor larger. Only `contains` and `starts_with` fold case. */
function matches(cell: GridCell | undefined, { op, value }: TableFilter): boolean {
  const empty = isEmpty(cell)
  if (op === 'empty') return empty
  if (op === 'not_empty') return !empty
  if (op === 'ne') return empty || !same(cell, value)
  if (empty || value === undefined) return false
  if (op === 'eq') return same(cell, value)
  if (op === 'in') return Array.isArray(value) && value.some((one) => same(cell, one))
  if (op === 'contains') return fold(String(cell)).includes(fold(String(value)))
  if (op === 'starts_with') return fold(String(cell)).startsWith(fold(String(value)))
  const order = compareCells(cell, value as GridCell, 1)
  if (op === 'lt') return order < 0
  if (op === 'lte') return order <= 0
  return op === 'gt' ? order > 0 : order >= 0
}

function same(cell: GridCell | undefined, value: unknown): boolean {
  return String(cell) === String(value)
}

function isEmpty(cell: GridCell | undefined): cell is null | undefined | '' {
  return cell === null || cell === undefined || cell === ''
}

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

/** Empty cells come last whichever way the column is sorted. */
function compareCells(a: GridCell | undefined, b: GridCell | undefined, sign: 1 | -1): number {
  if (isEmpty(a) || isEmpty(b)) return Number(isEmpty(a)) - Number(isEmpty(b))
  if (typeof a === 'number' && typeof b === 'number') return (a - b) * sign
  return collator.compare(String(a), String(b)) * sign
}

function fold(text: string): string {
  return text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
}

import { currentLanguage } from '../../text/i18n.ts'
import type { GridCell, GridColumn, GridRow } from './grid-source.ts'
import type { TableFilter, GridView } from '../grid-view.ts'
import { foldText } from '../../text/fold.ts'

type Format = (row: GridRow, column: GridColumn) => string

/** Applies a view to a table in memory: search (on displayed values), filters and a stable sort. */
export function viewRows(
  columns: readonly GridColumn[],
  rows: readonly GridRow[],
  view: GridView,
  format: Format,
): readonly GridRow[] {
  const wanted = foldText(view.search.trim())
  const found = rows.filter(
    (row) =>
      view.filters.every((filter) => matches(row[filter.column], filter)) &&
      (wanted === '' || columns.some((column) => foldText(format(row, column)).includes(wanted))),
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

/**
 * An empty cell is unequal to every value, and neither smaller nor larger. Only `contains` and `starts_with` ignore
 * case.
 */
function matches(cell: GridCell | undefined, { op, value }: TableFilter): boolean {
  const empty = isEmpty(cell)
  if (op === 'empty') return empty
  if (op === 'not_empty') return !empty
  if (op === 'ne') return empty || !same(cell, value)
  if (empty || value === undefined) return false
  if (op === 'eq') return same(cell, value)
  if (op === 'in') return Array.isArray(value) && value.some((one) => same(cell, one))
  if (op === 'contains') return foldText(String(cell)).includes(foldText(String(value)))
  if (op === 'starts_with') return foldText(String(cell)).startsWith(foldText(String(value)))
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

let collator = { language: '', compare: (a: string, b: string): number => (a < b ? -1 : 1) }

/** Text sorts in the chosen language's order, with embedded numbers by value. */
function compareText(a: string, b: string): number {
  const chosen = currentLanguage()
  if (collator.language !== chosen) {
    collator = { language: chosen, compare: new Intl.Collator(chosen, { numeric: true }).compare }
  }
  return collator.compare(a, b)
}

/** Empty cells come last in either sort direction. */
function compareCells(a: GridCell | undefined, b: GridCell | undefined, sign: 1 | -1): number {
  if (isEmpty(a) || isEmpty(b)) return Number(isEmpty(a)) - Number(isEmpty(b))
  if (typeof a === 'number' && typeof b === 'number') return (a - b) * sign
  return compareText(String(a), String(b)) * sign
}

import { useState } from 'react'
import type { TableFilter, GridView } from '../grid-view.ts'

/** The filters of a view, and the one being edited, by its position. */
export function useFilterEditing(view: GridView, onView: (view: GridView) => void) {
  const [editing, setEditing] = useState<{ from: Partial<TableFilter>; index: number } | null>(null)
  const { filters } = view
  const setFilters = (next: readonly TableFilter[]): void => onView({ ...view, filters: next })
  return {
    filters,
    /** Initial values of the filter being edited; null when there is none. */
    editing: editing?.from ?? null,
    add: (from: Partial<TableFilter>) => setEditing({ from, index: filters.length }),
    change: (index: number) => setEditing({ from: filters[index] ?? {}, index }),
    apply: (filter: TableFilter) => setFilters(filters.toSpliced(editing?.index ?? filters.length, 1, filter)),
    close: () => setEditing(null),
    remove: (index: number) => setFilters(filters.toSpliced(index, 1)),
    clear: () => setFilters([]),
  }
}

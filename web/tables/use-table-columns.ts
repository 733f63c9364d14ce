import { useMemo, useState } from 'react'
import type { GridColumn } from './grid/grid-source.ts'
import { useTableLabels, type ColumnNames } from './grid/use-table-labels.ts'

/** The columns a table shows, and their names. */
export function useTableColumns(given: readonly GridColumn[], title: string) {
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  const [names, setNames] = useState<ColumnNames>('given')
  const { columns, error } = useTableLabels(given, title, names)
  const visible = useMemo(() => columns.filter(({ key }) => !hidden.has(key)), [columns, hidden])
  const onHide = (key: string): void => {
    const next = new Set(hidden)
    if (!next.delete(key)) next.add(key)
    // A grid without columns would have no menu to bring them back.
    if (next.size < columns.length) setHidden(next)
  }
  return { columns, visible, hidden, onHide, onShowAll: () => setHidden(new Set()), names, setNames, error }
}

import { useEffect, useState, type FocusEvent, type KeyboardEvent } from 'react'
import { copyText } from '../../parts/copy-text.ts'
import { explainError } from '../../client/explain-error.ts'
import { t } from '../../text/i18n.ts'
import { announce } from '../../parts/feedback/announcer.tsx'
import { toast } from '../../parts/feedback/toast.tsx'
import type { GridColumn, GridSource } from './grid-source.ts'
import { toTsv } from './to-tsv.ts'

export interface CellPlace {
  /** -1: the header. */
  readonly row: number
  readonly column: number
}
interface Chosen {
  readonly active: CellPlace
  /** The other corner of the selection. */
  readonly anchor: CellPlace
}
export interface CellRange {
  readonly firstRow: number
  readonly lastRow: number
  readonly firstColumn: number
  readonly lastColumn: number
}

/** More rows are not copied: that is what exports are for. */
export const COPY_LIMIT = 10_000

interface CellOptions {
  readonly source: GridSource
  readonly columns: readonly GridColumn[]
  readonly pageRows: number
  reveal(row: number, column: number): void
  onSort(column: GridColumn): void
  onMenu(column: GridColumn): void
  onResize(column: GridColumn, by: number): void
  /** What the rows belong to; when it changes, the selection is cleared. */
  readonly of: string
}

/** The active cell, the selection from it, and copying. The grid itself keeps the focus. */
export function useGridCells(options: CellOptions) {
  const { source, columns, pageRows, reveal, onSort, onMenu, onResize, of } = options
  const [chosen, setChosen] = useState<Chosen | null>(null)
  useEffect(() => setChosen(null), [of, columns.length])

  const choose = (place: CellPlace, extend = false): void => {
    const row = Math.min(source.rowCount - 1, Math.max(-1, place.row))
    const column = Math.min(columns.length - 1, Math.max(0, place.column))
    const active = { row, column }
    setChosen((before) => ({ active, anchor: extend && before !== null && row >= 0 ? before.anchor : active }))
    reveal(row, column)
  }

  const range = chosen === null ? null : rangeOf(chosen)
  const textOf = async (
    { firstRow, lastRow, firstColumn, lastColumn }: CellRange,
    header: boolean,
  ): Promise<string> => {
    const rows = await source.rows(firstRow, Math.min(lastRow, firstRow + COPY_LIMIT - 1))
    return toTsv(columns.slice(firstColumn, lastColumn + 1), rows, header)
  }
  const copy = async (marked: CellRange): Promise<void> => {
    const { firstRow, firstColumn, lastColumn } = marked
    const lastRow = Math.min(marked.lastRow, firstRow + COPY_LIMIT - 1)
    try {
      if (!(await copyText(await textOf({ firstRow, lastRow, firstColumn, lastColumn }, false))))
        return toast({ text: t('copy.failed'), tone: 'danger' })
      const cut = lastRow < marked.lastRow
      if (cut) toast({ text: t('tables.copy_cut', { count: COPY_LIMIT }), tone: 'warn' })
      else announce(t('tables.copied_rows', { count: lastRow - firstRow + 1 }))
    } catch (error) {
      toast({ text: explainError(error), tone: 'danger' })
    }
  }

  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    // In React's tree, the header's menus are children too.
    if (event.target !== event.currentTarget || columns.length === 0) return
    const { active } = chosen ?? { active: { row: -1, column: 0 } }
    const control = event.ctrlKey || event.metaKey
    const column = columns[active.column]!
    const header = active.row < 0
    if (control && event.key.toLowerCase() === 'c') {
      if (range === null || range.firstRow < 0) return
      event.preventDefault()
      return void copy(range)
    }
    if (control && event.key.toLowerCase() === 'a') {
      event.preventDefault()
      return setChosen({
        active: { row: Math.max(0, active.row), column: columns.length - 1 },
        anchor: { row: 0, column: 0 },
      })
    }
    if (header && (event.key === 'Enter' || event.key === ' ')) {
      event.preventDefault()
      if (event.key === 'Enter') onSort(column)
      else onMenu(column)
      return
    }
    if (header && event.shiftKey && (event.key === 'ArrowLeft' || event.key === 'ArrowRight')) {
      event.preventDefault()
      return onResize(column, event.key === 'ArrowLeft' ? -16 : 16)
    }
    if (!header && event.shiftKey && event.key === ' ') {
      event.preventDefault()
      return setChosen({
        active: { row: active.row, column: columns.length - 1 },
        anchor: { row: active.row, column: 0 },
      })
    }
    const next = target(event.key, control, active, { pageRows, rows: source.rowCount, columns: columns.length })
    if (next === null || event.altKey) return
    event.preventDefault()
    choose(next, event.shiftKey)
  }

  /** Keys start at the first header, unless a cell was selected before. */
  const onFocus = (event: FocusEvent<HTMLElement>): void => {
    if (event.target !== event.currentTarget) return
    const start = { row: -1, column: 0 }
    setChosen((before) => before ?? { active: start, anchor: start })
  }

  return { active: chosen?.active ?? null, range, choose, copy, textOf, onKeyDown, onFocus }
}

function target(
  key: string,
  control: boolean,
  { row, column }: CellPlace,
  size: { pageRows: number; rows: number; columns: number },
): CellPlace | null {
  const lastRow = size.rows - 1
  switch (key) {
    case 'ArrowDown':
      return { row: control ? lastRow : row + 1, column }
    case 'ArrowUp':
      return { row: control ? 0 : row - 1, column }
    case 'ArrowLeft':
      return { row, column: control ? 0 : column - 1 }
    case 'ArrowRight':
      return { row, column: control ? size.columns - 1 : column + 1 }
    case 'PageDown':
      return { row: row + size.pageRows, column }
    case 'PageUp':
      return { row: Math.max(0, row - size.pageRows), column }
    case 'Home':
      return { row: control ? 0 : row, column: 0 }
    case 'End':
      return { row: control ? lastRow : row, column: size.columns - 1 }
    default:
      return null
  }
}

function rangeOf({ active, anchor }: Chosen): CellRange {
  return {
    firstRow: Math.min(active.row, anchor.row),
    lastRow: Math.max(active.row, anchor.row),
    firstColumn: Math.min(active.column, anchor.column),
    lastColumn: Math.max(active.column, anchor.column),
  }
}

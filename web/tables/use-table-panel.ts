import { useState } from 'react'
import type { ChartSuggestion } from '../../contract/chart-suggestion.ts'
import type { TableExport } from '../../contract/tables.ts'
import { copyText } from '../parts/copy-text.ts'
import { explainError } from '../client/explain-error.ts'
import { t } from '../text/i18n.ts'
import { announce } from '../parts/feedback/announcer.tsx'
import { toast } from '../parts/feedback/toast.tsx'
import { exportMenu } from './export/export-menu.ts'
import type { Exporting } from './export/use-export.ts'
import { useFilterEditing } from './filter/use-filter-editing.ts'
import { columnMenu, columnsMenu } from './grid/column-menus.ts'
import { isNumeric, type GridColumn, type GridSource } from './grid/grid-source.ts'
import { toTsv } from './grid/to-tsv.ts'
import { COPY_LIMIT } from './grid/use-grid-cells.ts'
import { nextSort, type GridView } from './grid-view.ts'
import { useTableColumns } from './use-table-columns.ts'

/** A table as shown, from an answer or a file. */
export interface ShownTable {
  readonly title: string
  readonly columns: readonly GridColumn[]
  readonly source: GridSource
  readonly count: string
  readonly view: GridView
  onView(view: GridView): void
  /** Identifies what is shown: file, sheet and view. */
  readonly of: string
  /** The rows of another view are loading. */
  readonly busy: boolean
  /** The initial chart; without it, rows are shown as a grid. */
  readonly chart?: ChartSuggestion | undefined
  /** Long text wraps until the user chooses otherwise. */
  readonly wraps?: boolean | undefined
}

/** How a table is exported. */
export interface TableExports {
  readonly exporting: Exporting
  /** The visible columns under their current names. */
  rowsOf(columns: readonly GridColumn[]): TableExport
  /** All sheets, when there are several. */
  readonly allSheets?: TableExport | undefined
}

/** The user's actions on a table: columns, names, wrapping, filters, sort, chart, copy, export. */
export function useTablePanel(table: ShownTable, { exporting, rowsOf, allSheets }: TableExports) {
  const { source, view, onView } = table
  const columns = useTableColumns(table.columns, table.title)
  const filters = useFilterEditing(view, onView)
  const [wrapChosen, setWrap] = useState<boolean | null>(null)
  const [chart, setChart] = useState(table.chart !== undefined)
  const drawable = columns.columns.some(isNumeric) && source.rowCount > 1
  return {
    table,
    columns,
    filters,
    exporting,
    wrap: wrapChosen ?? table.wraps ?? false,
    setWrap,
    chart,
    /** Null when there is nothing to chart. */
    setChart: drawable || chart ? setChart : null,
    narrowed: view.search.trim() !== '' || view.filters.length > 0,
    showAllRows: () => onView({ ...view, search: '', filters: [] }),
    search: (search: string) => onView({ ...view, search }),
    sort: (column: GridColumn) => onView({ ...view, sort: nextSort(view.sort, column.key) }),
    copy: () => void copyRows(columns.visible, source),
    columnsMenu: columnsMenu(columns),
    menuOf: (column: GridColumn, onFit: () => void) =>
      columnMenu({
        column,
        sort: view.sort,
        onSort: (sort) => onView({ ...view, sort }),
        onFilter: () => filters.add({ column: column.key }),
        onHide: () => columns.onHide(column.key),
        onFit,
      }),
    exportMenu: exportMenu(
      (format) => exporting.start({ ...rowsOf(columns.visible), format }),
      allSheets && ((format) => exporting.start({ ...allSheets, format })),
    ),
  }
}

/** Copies as many rows as the clipboard should hold, and says so if there are more. */
async function copyRows(columns: readonly GridColumn[], source: GridSource): Promise<void> {
  const { rowCount } = source
  try {
    const rows = rowCount === 0 ? [] : await source.rows(0, Math.min(COPY_LIMIT, rowCount) - 1)
    if (!(await copyText(toTsv(columns, rows)))) return toast({ text: t('copy.failed'), tone: 'danger' })
    if (rowCount > COPY_LIMIT) toast({ text: t('tables.copy_cut', { count: COPY_LIMIT }), tone: 'warn' })
    else toast({ text: t('tables.copied_rows', { count: rows.length }), tone: 'ok' })
    announce(t('copy.done'))
  } catch (error) {
    toast({ text: explainError(error), tone: 'danger' })
  }
}

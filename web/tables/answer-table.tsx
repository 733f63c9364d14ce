import { type ReactNode, useMemo, useState } from 'react'
import type { Table } from '../../contract/chat.ts'
import { formatNumber } from '../text/format.ts'
import { t } from '../text/i18n.ts'
import { formatCell } from './grid/format-cell.ts'
import type { GridColumn, GridRow, GridSource } from './grid/grid-source.ts'
import { TablePanel } from './table-panel.tsx'
import { WHOLE } from './grid-view.ts'
import { useExport } from './export/use-export.ts'
import { viewRows } from './grid/view-rows.ts'

/** Shorter tables can be read at a glance. */
const SEARCH_FROM = 8

/** How a table is shown that was written as text. */
export interface WrittenLook {
  /** The cells of a row of the table as they were written. */
  textsOf(row: GridRow): GridRow
  /** The same with their formatting. */
  contentOf(row: GridRow, key: string): ReactNode
  /** By keys of columns, the format that an export gives them. */
  readonly formats: Readonly<Record<string, string>>
  /** It holds sentences. */
  readonly wraps: boolean
}

interface AnswerTableProps {
  readonly table: Table
  readonly written?: WrittenLook | undefined
}

/** A table of an answer as a grid, with its rows in memory. A separate chunk. */
export function AnswerTable({ table, written }: AnswerTableProps) {
  const [view, setView] = useState(WHOLE)
  const exporting = useExport()
  const { columns } = table
  const rows = useMemo(() => {
    const format = (row: GridRow, column: GridColumn): string =>
      written === undefined ? formatCell(row[column.key], column.type) : String(written.textsOf(row)[column.key] ?? '')
    return viewRows(columns, table.rows, view, format)
  }, [columns, table.rows, view, written])
  const source = useMemo<GridSource>(
    () => ({
      rowCount: rows.length,
      row: (index) => rows[index],
      show: () => undefined,
      rows: (first, last) => Promise.resolve(rows.slice(first, last + 1)),
      ...(written && {
        shown: (index) => rows[index] && written.textsOf(rows[index]),
        content: (index, key) => rows[index] && written.contentOf(rows[index], key),
      }),
    }),
    [rows, written],
  )
  return (
    <div className="border-line bg-surface overflow-hidden rounded-lg border">
      <TablePanel
        table={{
          title: table.title,
          columns,
          source,
          count:
            rows.length === table.rows.length
              ? t('tables.rows', { count: rows.length })
              : t('tables.rows_of', { count: rows.length, total: table.rows.length }),
          view,
          onView: setView,
          of: JSON.stringify(view),
          busy: false,
          chart: table.chart,
          wraps: written?.wraps,
        }}
        exports={{
          exporting,
          rowsOf: (visible) => ({
            title: table.title,
            columns: visible.map(({ key, label, type }) => ({ key, label, type })),
            rows: [...rows],
            ...(written && { ai_column_presentation: formatsOf(visible, written) }),
          }),
        }}
        // What was written stands below its own heading.
        titled={written === undefined}
        searchable={table.rows.length >= SEARCH_FROM}
        fill={false}
      >
        {table.total_rows > table.rows.length && (
          <p className="border-line text-muted border-t px-3 py-1.5 text-xs">
            {t('tables.cut', { shown: formatNumber(table.rows.length), total: formatNumber(table.total_rows) })}
          </p>
        )}
      </TablePanel>
    </div>
  )
}

function formatsOf(columns: readonly GridColumn[], { formats }: WrittenLook): Record<string, { format: string }> {
  return Object.fromEntries(
    columns.flatMap(({ key }) => (formats[key] === undefined ? [] : [[key, { format: formats[key] }]])),
  )
}

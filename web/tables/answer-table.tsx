import { useMemo, useState } from 'react'
import type { Table } from '../../contract/chat.ts'
import { formatNumber } from '../text/format.ts'
import { t } from '../text/i18n.ts'
import { formatCell } from './grid/format-cell.ts'
import type { GridSource } from './grid/grid-source.ts'
import { TablePanel } from './table-panel.tsx'
import { WHOLE } from './grid-view.ts'
import { useExport } from './export/use-export.ts'
import { viewRows } from './grid/view-rows.ts'

/** Shorter tables can be read at a glance. */
const SEARCH_FROM = 8

/** A table of an answer as a grid, with its rows in memory. A separate chunk. */
export function AnswerTable({ table }: { readonly table: Table }) {
  const [view, setView] = useState(WHOLE)
  const exporting = useExport()
  const { columns } = table
  const rows = useMemo(
    () => viewRows(columns, table.rows, view, (row, column) => formatCell(row[column.key], column.type)),
    [columns, table.rows, view],
  )
  const source = useMemo<GridSource>(
    () => ({
      rowCount: rows.length,
      row: (index) => rows[index],
      show: () => undefined,
      rows: (first, last) => Promise.resolve(rows.slice(first, last + 1)),
    }),
    [rows],
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
        }}
        exports={{
          exporting,
          rowsOf: (visible) => ({
            title: table.title,
            columns: visible.map(({ key, label, type }) => ({ key, label, type })),
            rows: [...rows],
          }),
        }}
        titled
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

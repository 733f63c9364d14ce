import { useMemo, useState } from 'react'
import type { Table } from '../../contract/chat.ts'
import { formatNumber } from '../format.ts'
import { t } from '../i18n.ts'
import { formatCell } from './format-cell.ts'
import type { GridSource } from './grid-source.ts'
import { TablePanel } from './table-panel.tsx'
import { WHOLE } from './table-view.ts'
import { useExport } from './use-export.ts'
import { viewRows } from './view-rows.ts'

/** Shorter tables are read at a glance. */
const SEARCH_FROM = 8

/** A table of an answer as a grid, its rows in memory. A chunk of its own. */
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
        title={table.title}
        titled
        columns={columns}
        source={source}
        count={
          rows.length === table.rows.length
            ? t('tables.rows', { count: rows.length })
            : t('tables.rows_of', { count: rows.length, total: table.rows.length })
        }
        view={view}
        onView={setView}
        searchable={table.rows.length >= SEARCH_FROM}
        of={JSON.stringify(view)}
        busy={false}
        fill={false}
        exporting={exporting}
        chart={table.chart}
        exportBody={(visible) => ({
          title: table.title,
          columns: visible.map(({ key, label, type }) => ({ key, label, type })),
          rows: [...rows],
        })}
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

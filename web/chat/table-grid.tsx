import { useVirtualizer } from '@tanstack/react-virtual'
import { useMemo, useRef, useState } from 'react'
import type { Table } from '../../contract/chat.ts'
import { formatNumber } from '../format.ts'
import { t } from '../i18n.ts'
import { formatCell } from './format-cell.ts'
import { TableGridHead } from './table-grid-head.tsx'
import { TableGridToolbar } from './table-grid-toolbar.tsx'
import { isNumeric, nextSort, type TableColumn, type TableRow, type TableSort, viewRows } from './table-view.ts'

/** Tables longer than this draw only the rows in sight. */
const VIRTUAL_FROM = 100
const ROW_PX = 32

function format(row: TableRow, column: TableColumn): string {
  return formatCell(row[column.key], column.type)
}

/** A table of an answer as a grid: sort by its headers, filter by text, copy what is shown. A chunk of its own. */
export function TableGrid({ table }: { readonly table: Table }) {
  const [filter, setFilter] = useState('')
  const [sort, setSort] = useState<TableSort | null>(null)
  const rows = useMemo(() => viewRows(table, filter, sort, format), [table, filter, sort])
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = table.rows.length > VIRTUAL_FROM
  const virtualizer = useVirtualizer({
    count: rows.length,
    enabled: virtual,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
  })
  const items = virtual ? virtualizer.getVirtualItems() : rows.map((_, index) => ({ index }))
  const before = virtual ? (virtualizer.getVirtualItems()[0]?.start ?? 0) : 0
  const after = virtual ? virtualizer.getTotalSize() - (virtualizer.getVirtualItems().at(-1)?.end ?? 0) : 0

  return (
    <div className="overflow-hidden rounded-lg border border-line bg-surface">
      <TableGridToolbar table={table} rows={rows} filter={filter} onFilter={setFilter} />
      <div ref={scroller} className="max-h-96 overflow-auto focus-visible:-outline-offset-2" role="group" aria-label={table.title} tabIndex={0}>
        <table className="w-full border-separate border-spacing-0 text-sm" aria-rowcount={rows.length + 1}>
          <TableGridHead columns={table.columns} sort={sort} onSort={(key) => setSort(nextSort(sort, key))} />
          <tbody>
            {before > 0 && <Spacer height={before} columns={table.columns.length} />}
            {items.map(({ index }) => (
              <GridRow key={index} index={index} row={rows[index] as TableRow} columns={table.columns} oneLine={virtual} />
            ))}
            {after > 0 && <Spacer height={after} columns={table.columns.length} />}
          </tbody>
        </table>
        {rows.length === 0 && (
          <p className="px-3 py-4 text-sm text-muted">{t(table.rows.length === 0 ? 'chat.table_empty' : 'chat.table_no_match')}</p>
        )}
      </div>
      {table.total_rows > table.rows.length && (
        <p className="border-t border-line px-3 py-1.5 text-xs text-muted">
          {t('chat.table_cut', { shown: formatNumber(table.rows.length), total: formatNumber(table.total_rows) })}
        </p>
      )}
    </div>
  )
}

interface GridRowProps {
  readonly index: number
  readonly row: TableRow
  readonly columns: readonly TableColumn[]
  /** Rows of a virtual table have one height: long cells are cut and whole in the tooltip. */
  readonly oneLine: boolean
}

function GridRow({ index, row, columns, oneLine }: GridRowProps) {
  return (
    <tr aria-rowindex={index + 2} className="hover:bg-hover">
      {columns.map((column) => {
        const text = format(row, column)
        const wraps = !oneLine && column.type === 'text'
        const width = wraps ? `max-w-96 break-words ${text.length > 40 ? 'min-w-64' : ''}` : 'max-w-80 truncate whitespace-nowrap'
        const align = isNumeric(column) ? 'text-end tabular-nums' : ''
        return (
          <td key={column.key} title={oneLine && text.length > 40 ? text : undefined} className={`h-8 border-b border-line px-3 py-1.5 align-top leading-5 ${width} ${align}`}>
            {text === '' ? <span className="text-muted">–</span> : text}
          </td>
        )
      })}
    </tr>
  )
}

function Spacer({ height, columns }: { readonly height: number; readonly columns: number }) {
  return (
    <tr aria-hidden="true">
      <td colSpan={columns} className="p-0" style={{ height }} />
    </tr>
  )
}

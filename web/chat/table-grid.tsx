import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useMemo, useRef, useState } from 'react'
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
/** Text with more characters than this may not fit into its column. */
const LONG = 40

function format(row: TableRow, column: TableColumn): string {
  return formatCell(row[column.key], column.type)
}

/** A table of an answer as a grid: sort by its headers, filter by text, copy what is shown. A chunk of its own. */
export function TableGrid({ table }: { readonly table: Table }) {
  const [filter, setFilter] = useState('')
  const [sort, setSort] = useState<TableSort | null>(null)
  const rows = useMemo(() => viewRows(table, filter, sort, format), [table, filter, sort])
  const [wrap, setWrap] = useState(false)
  const wrappable = useMemo(() => hasLongText(table), [table])
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = table.rows.length > VIRTUAL_FROM
  const virtualizer = useVirtualizer({
    count: rows.length,
    enabled: virtual,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
  })
  // Other rows at the same places, or other heights: what was measured no longer holds.
  useEffect(() => virtualizer.measure(), [virtualizer, rows, wrap])
  const items = virtual ? virtualizer.getVirtualItems() : rows.map((_, index) => ({ index }))
  const before = virtual ? (virtualizer.getVirtualItems()[0]?.start ?? 0) : 0
  const after = virtual ? virtualizer.getTotalSize() - (virtualizer.getVirtualItems().at(-1)?.end ?? 0) : 0

  return (
    <div className="overflow-hidden rounded-lg border border-line bg-surface">
      <TableGridToolbar
        table={table}
        rows={rows}
        filter={filter}
        onFilter={setFilter}
        wrap={wrap}
        onWrap={wrappable ? setWrap : null}
      />
      <div
        ref={scroller}
        className="max-h-96 overflow-auto focus-visible:-outline-offset-2"
        role="group"
        aria-label={table.title}
        tabIndex={0}
      >
        <table className="w-full border-separate border-spacing-0 text-sm" aria-rowcount={rows.length + 1}>
          <TableGridHead columns={table.columns} sort={sort} onSort={(key) => setSort(nextSort(sort, key))} />
          <tbody>
            {before > 0 && <Spacer height={before} columns={table.columns.length} />}
            {items.map(({ index }) => (
              <GridRow
                key={index}
                index={index}
                row={rows[index] as TableRow}
                columns={table.columns}
                wrap={wrap}
                measure={virtual ? virtualizer.measureElement : undefined}
              />
            ))}
            {after > 0 && <Spacer height={after} columns={table.columns.length} />}
          </tbody>
        </table>
        {rows.length === 0 && (
          <p className="px-3 py-4 text-sm text-muted">
            {t(table.rows.length === 0 ? 'chat.table_empty' : 'chat.table_no_match')}
          </p>
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
  /** Long text breaks; else it is cut, and whole in the tooltip. */
  readonly wrap: boolean
  /** Tells a virtual table how high the row has become. */
  readonly measure: ((row: HTMLTableRowElement | null) => void) | undefined
}

function GridRow({ index, row, columns, wrap, measure }: GridRowProps) {
  return (
    <tr ref={measure} data-index={index} aria-rowindex={index + 2} className="hover:bg-hover">
      {columns.map((column) => {
        const text = format(row, column)
        const long = column.type === 'text' && text.length > LONG
        const width =
          wrap && column.type === 'text'
            ? `max-w-xl wrap-anywhere whitespace-pre-wrap ${long ? 'min-w-80' : ''}`
            : 'max-w-80 truncate'
        const align = isNumeric(column) ? 'text-end tabular-nums' : ''
        return (
          <td
            key={column.key}
            title={long && !wrap ? text : undefined}
            className={`h-8 border-b border-line px-3 py-1.5 align-top leading-5 ${width} ${align}`}
          >
            {text === '' ? <span className="text-muted">–</span> : text}
          </td>
        )
      })}
    </tr>
  )
}

function hasLongText(table: Table): boolean {
  return table.columns.some(
    (column) => column.type === 'text' && table.rows.some((row) => String(row[column.key] ?? '').length > LONG),
  )
}

function Spacer({ height, columns }: { readonly height: number; readonly columns: number }) {
  return (
    <tr aria-hidden="true">
      <td colSpan={columns} className="p-0" style={{ height }} />
    </tr>
  )
}

import { useCallback, useEffect, useId, useRef, useState, type MouseEvent } from 'react'
import { classNames } from '../../parts/class-names.ts'
import { t } from '../../text/i18n.ts'
import type { MenuEntry } from '../../parts/controls/menu.tsx'
import { CellText } from './cell-text.tsx'
import { clampWidth, columnWidths, wrappedLines } from './column-widths.ts'
import { formatCell } from './format-cell.ts'
import { GridHead } from './grid-head.tsx'
import { GridLine } from './grid-line.tsx'
import type { GridColumn, GridRow, GridSource } from './grid-source.ts'
import type { TableSort } from '../grid-view.ts'
import { SelectionBar } from './selection-bar.tsx'
import { type CellRange, useGridCells } from './use-grid-cells.ts'
import { useRowWindow } from './use-row-window.ts'

const ROW_PX = 33
const HEAD_PX = 34
/** What each further line of wrapped text adds. */
const LINE_PX = 20
/** The first rows determine a column's initial width. */
const SAMPLE = 60

interface GridProps {
  readonly label: string
  readonly columns: readonly GridColumn[]
  readonly source: GridSource
  readonly sort: readonly TableSort[]
  onSort(column: GridColumn): void
  /** Entries of a column's menu. */
  menuOf(column: GridColumn, fit: () => void): readonly MenuEntry[]
  readonly wrap: boolean
  /** Identifies what is shown: sheet and view. A different one starts at the top. */
  readonly of: string
  /** Different rows are loading. */
  readonly busy: boolean
  /** Fills its parent; otherwise as high as its rows, up to 24 rem. */
  readonly fill: boolean
}

/**
 * A grid over any number of rows and columns that renders only the visible ones. Keys move the active cell; Ctrl+C
 * copies the selection.
 */
export function Grid({ label, columns, source, sort, onSort, menuOf, wrap, of, busy, fill }: GridProps) {
  const id = useId()
  const [chosen, setChosen] = useState<Readonly<Record<string, number>>>({})
  const [menu, setMenu] = useState<string | null>(null)
  const sample = useSample(source, columns)
  const count = source.rowCount
  const widthsIn = useCallback(
    (room: number) => columnWidths(columns, sample, format, chosen, room),
    [columns, sample, chosen],
  )
  const rowPxOf = useCallback(
    (widths: readonly number[]) => {
      const lines = wrap ? wrappedLines(columns, firstRows(source), format, widths) : 1
      return ROW_PX + (lines - 1) * LINE_PX
    },
    [columns, wrap, source],
  )
  const sight = useRowWindow({ count, headPx: HEAD_PX, widthsIn, rowPxOf, of })
  const { widths, rowPx } = sight
  const { first, last } = sight.rows
  const stretched = fill && count > 0
  useEffect(() => source.show(first, last), [source, first, last])
  const setWidth = (key: string, width: number): void =>
    setChosen((before) => ({ ...before, [key]: clampWidth(width) }))
  const fit = (key: string): void =>
    setChosen((before) => Object.fromEntries(Object.entries(before).filter(([one]) => one !== key)))
  const cells = useGridCells({
    source,
    columns,
    pageRows: sight.pageRows,
    reveal: sight.reveal,
    onSort,
    onMenu: (column) => setMenu(column.key),
    onResize: (column, by) => setWidth(column.key, (widths[columns.indexOf(column)] ?? 0) + by),
    of,
  })
  const { active, range } = cells
  const seen = sight.columns
  const shown = columns.slice(seen.first, seen.last + 1)
  const drawn = active !== null && (active.row < 0 || (active.row >= first && active.row <= last))
  const total = widths.reduce((sum, width) => sum + width, 0)
  const onPress = (event: MouseEvent): void => {
    const cell = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-column]') : null
    if (cell === null || event.button !== 0) return
    const row = Number(cell.closest<HTMLElement>('[data-row]')?.dataset['row'])
    cells.choose({ row, column: Number(cell.dataset['column']) }, event.shiftKey)
  }
  const value =
    active !== null && active.row >= 0 ? shownRow(source, active.row)?.[columns[active.column]?.key ?? ''] : null
  return (
    // Without rows, the empty message goes right below the header.
    <div className={classNames('flex min-w-0 flex-col', stretched && 'min-h-0 flex-1')}>
      <div
        ref={sight.scroller}
        role="grid"
        aria-label={label}
        aria-rowcount={count + 1}
        aria-colcount={columns.length}
        aria-multiselectable
        aria-describedby={`${id}-keys`}
        aria-busy={busy}
        aria-activedescendant={
          active !== null && drawn && active.column >= seen.first && active.column <= seen.last
            ? `${id}-${active.row}-${active.column}`
            : undefined
        }
        tabIndex={0}
        onScroll={sight.onScroll}
        onKeyDown={cells.onKeyDown}
        onFocus={cells.onFocus}
        className={classNames(
          'relative overflow-auto text-sm focus-visible:-outline-offset-2',
          fill ? stretched && 'min-h-0 flex-1' : 'max-h-96',
        )}
      >
        <div role="rowgroup" className="bg-sunken sticky top-0 z-10 w-max min-w-full" style={{ width: total }}>
          <div role="row" aria-rowindex={1} className="border-line flex border-b" style={{ height: HEAD_PX }}>
            {shown.map((column, at) => (
              <GridHead
                key={column.key}
                id={`${id}--1-${seen.first + at}`}
                column={column}
                index={seen.first + at}
                width={widths[seen.first + at] ?? 0}
                indent={at === 0 ? seen.start : 0}
                active={active?.row === -1 && active.column === seen.first + at}
                sort={sort.find(({ column: key }) => key === column.key)}
                menu={menuOf(column, () => fit(column.key))}
                menuOpen={menu === column.key}
                onMenuOpen={(open) => setMenu(open ? column.key : null)}
                onSort={() => onSort(column)}
                onWidth={(width) => setWidth(column.key, width)}
                onFit={() => fit(column.key)}
              />
            ))}
          </div>
        </div>
        <div
          role="rowgroup"
          className={classNames('relative min-w-full', busy && 'opacity-60')}
          style={{ width: total, height: sight.height }}
          onMouseDown={onPress}
        >
          {Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at).map((index) => {
            const marked = range !== null && index >= range.firstRow && index <= range.lastRow && range.firstRow >= 0
            return (
              <GridLine
                key={index}
                index={index}
                row={shownRow(source, index)}
                content={source.content}
                columns={columns}
                widths={widths}
                first={seen.first}
                last={seen.last}
                indent={seen.start}
                top={sight.topOf(index)}
                height={rowPx}
                wrap={wrap}
                id={`${id}-${index}`}
                active={active?.row === index ? active.column : -1}
                markedFrom={marked ? range.firstColumn : -1}
                markedTo={marked ? range.lastColumn : -2}
              />
            )
          })}
        </div>
      </div>
      {range !== null && isSeveral(range) ? (
        <SelectionBar
          rows={range.lastRow - range.firstRow + 1}
          columns={range.lastColumn - range.firstColumn + 1}
          title={label}
          onCopy={() => void cells.copy(range)}
          text={() => cells.textOf(range, true)}
        />
      ) : (
        active !== null &&
        active.row >= 0 &&
        typeof value === 'string' && <CellText label={columns[active.column]?.label ?? ''} text={value} />
      )}
      <p id={`${id}-keys`} hidden>
        {t('tables.keys')}
      </p>
    </div>
  )
}

function isSeveral({ firstRow, lastRow, firstColumn, lastColumn }: CellRange): boolean {
  return firstRow >= 0 && (lastRow > firstRow || lastColumn > firstColumn)
}

function shownRow(source: GridSource, index: number): GridRow | undefined {
  return source.shown === undefined ? source.row(index) : source.shown(index)
}

function format(row: GridRow, column: GridColumn): string {
  return formatCell(row[column.key], column.type)
}

/** The rows that determine initial widths: the first ones loaded, so that widths do not change while scrolling. */
function useSample(source: GridSource, columns: readonly GridColumn[]): readonly GridRow[] {
  const kept = useRef<{ columns: string; rows: readonly GridRow[] }>({ columns: '', rows: [] })
  const names = columns.map(({ key }) => key).join('\n')
  if (kept.current.columns !== names || kept.current.rows.length === 0) {
    kept.current = { columns: names, rows: firstRows(source) }
  }
  return kept.current.rows
}

/** The first rows that are loaded. */
function firstRows(source: GridSource): readonly GridRow[] {
  const rows: GridRow[] = []
  for (let index = 0; index < Math.min(SAMPLE, source.rowCount); index++) {
    const row = shownRow(source, index)
    if (row !== undefined) rows.push(row)
  }
  return rows
}

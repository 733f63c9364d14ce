import { memo, type ReactNode } from 'react'
import { classNames } from '../../parts/class-names.ts'
import { Skeleton } from '../../parts/feedback/skeleton.tsx'
import { formatCell } from './format-cell.ts'
import { isNumeric, type GridColumn, type GridRow } from './grid-source.ts'

interface GridLineProps {
  readonly index: number
  /** Undefined while loading. */
  readonly row: GridRow | undefined
  /** See `GridSource`. */
  readonly content?: ((index: number, key: string) => ReactNode | undefined) | undefined
  readonly columns: readonly GridColumn[]
  readonly widths: readonly number[]
  readonly first: number
  readonly last: number
  readonly indent: number
  readonly top: number
  readonly height: number
  /** Long text wraps; otherwise it is cut off and shown in full in the tooltip. */
  readonly wrap: boolean
  /** Prefix of the cells' ids. */
  readonly id: string
  /** The column of the active cell in this row; -1 for none. */
  readonly active: number
  readonly markedFrom: number
  readonly markedTo: number
}

/** One row: only the visible cells. */
export const GridLine = memo(function GridLine(props: GridLineProps) {
  const {
    index,
    row,
    content,
    columns,
    widths,
    first,
    last,
    indent,
    top,
    height,
    wrap,
    id,
    active,
    markedFrom,
    markedTo,
  } = props
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      data-row={index}
      className="hover:bg-hover border-line absolute left-0 flex min-w-full border-b transition-none"
      style={{ transform: `translateY(${top}px)`, height }}
    >
      {columns.slice(first, last + 1).map((column, at) => {
        const place = first + at
        const text = row === undefined ? '' : formatCell(row[column.key], column.type)
        return (
          <div
            key={column.key}
            id={`${id}-${place}`}
            role="gridcell"
            aria-colindex={place + 1}
            aria-selected={place >= markedFrom && place <= markedTo}
            data-column={place}
            title={text.length > 24 ? text : undefined}
            className={classNames(
              'shrink-0 overflow-hidden px-3 py-1.5 leading-5 select-none',
              isNumeric(column) && 'text-end tabular-nums',
              place >= markedFrom && place <= markedTo && 'bg-accent-soft',
              place === active && 'shadow-[inset_0_0_0_2px_var(--focus)]',
            )}
            style={{ width: widths[place], marginLeft: at === 0 ? indent : undefined }}
          >
            {row === undefined ? (
              <Skeleton className="mt-1 h-3 w-2/3" />
            ) : text === '' ? (
              <span className="text-muted">–</span>
            ) : (
              <span dir="auto" className={wrap ? 'line-clamp-4 wrap-anywhere whitespace-pre-wrap' : 'block truncate'}>
                {content?.(index, column.key) ?? text}
              </span>
            )}
          </div>
        )
      })}
    </div>
  )
})

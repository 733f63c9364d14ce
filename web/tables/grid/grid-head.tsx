import { ArrowDown, ArrowUp, EllipsisVertical } from 'lucide-react'
import { useRef, type PointerEvent } from 'react'
import { classNames } from '../../parts/class-names.ts'
import { t } from '../../text/i18n.ts'
import { Menu, type MenuEntry } from '../../parts/controls/menu.tsx'
import { isNumeric, type GridColumn } from './grid-source.ts'
import type { TableSort } from '../grid-view.ts'

interface GridHeadProps {
  readonly column: GridColumn
  readonly index: number
  readonly id: string
  readonly width: number
  /** Width in pixels of the columns before it that are not rendered. */
  readonly indent: number
  readonly active: boolean
  readonly sort: TableSort | undefined
  readonly menu: readonly MenuEntry[]
  readonly menuOpen: boolean
  onMenuOpen(open: boolean): void
  onSort(): void
  onWidth(width: number): void
  /** Fits the width to the cells. */
  onFit(): void
}

/**
 * The header of one column: its name sorts, its menu has the other actions, dragging its right edge resizes it, and a
 * double click there fits it.
 */
export function GridHead(props: GridHeadProps) {
  const { column, index, id, width, indent, active, sort, menu, menuOpen, onMenuOpen, onSort, onWidth, onFit } = props
  const pulled = useRef<{ from: number; width: number } | null>(null)
  const Arrow = sort?.dir === 'desc' ? ArrowDown : ArrowUp
  const onPull = (event: PointerEvent<HTMLElement>): void => {
    if (pulled.current !== null) onWidth(pulled.current.width + event.clientX - pulled.current.from)
  }
  return (
    <div
      role="columnheader"
      id={id}
      aria-colindex={index + 1}
      aria-sort={sort === undefined ? 'none' : sort.dir === 'asc' ? 'ascending' : 'descending'}
      className={classNames(
        'group/head relative flex shrink-0 items-center font-medium',
        isNumeric(column) && 'flex-row-reverse',
        active && 'shadow-[inset_0_0_0_2px_var(--focus)]',
      )}
      style={{ width, marginLeft: indent }}
    >
      <button
        type="button"
        tabIndex={-1}
        onClick={onSort}
        title={column.label === column.key ? column.label : `${column.label} (${column.key})`}
        className={classNames(
          'hover:bg-hover flex h-full min-w-0 flex-1 items-center gap-1 px-3',
          isNumeric(column) ? 'flex-row-reverse ps-1' : 'pe-1',
        )}
      >
        <span className="truncate">{column.label}</span>
        {sort !== undefined && <Arrow aria-hidden className="text-accent size-3.5 shrink-0" />}
      </button>
      <Menu
        open={menuOpen}
        onOpenChange={onMenuOpen}
        align="end"
        entries={menu}
        trigger={
          <button
            type="button"
            tabIndex={-1}
            aria-label={t('tables.column_menu', { column: column.label })}
            className="text-muted hover:text-ink hover:bg-hover flex h-full w-6 shrink-0 items-center justify-center opacity-0 group-hover/head:opacity-100 focus-visible:opacity-100 aria-expanded:opacity-100 pointer-coarse:opacity-100"
          >
            <EllipsisVertical aria-hidden className="size-3.5" />
          </button>
        }
      />
      <div
        aria-hidden
        className="hover:bg-accent absolute inset-y-1 right-0 z-10 w-1.5 cursor-col-resize touch-none rounded-full"
        onPointerDown={(event) => {
          event.preventDefault()
          event.currentTarget.setPointerCapture(event.pointerId)
          pulled.current = { from: event.clientX, width }
        }}
        onPointerMove={onPull}
        onLostPointerCapture={() => (pulled.current = null)}
        onDoubleClick={onFit}
      />
    </div>
  )
}

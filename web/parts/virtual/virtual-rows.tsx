import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { measureVisible } from './measure-visible.ts'
import { rowsWith } from './rows-with.ts'

export interface VirtualRow {
  readonly key: string
  /** Height in pixels before it is measured. */
  readonly estimate: number
  /** Arrow keys skip headings, and headings do not count as items. */
  readonly heading?: boolean
  /** Called only for rows in view. */
  render(): ReactNode
}

interface VirtualRowsProps {
  readonly label: string
  readonly rows: readonly VirtualRow[]
  readonly hasMore: boolean
  /** Called when the reader nears the end. */
  onNearEnd(): void
  /** Arrow up on the first row, or Escape anywhere. */
  onLeave?(): void
  /** The heading of the rows in view stays at the top. */
  readonly stickyHeadings?: boolean
  readonly children?: ReactNode
}

/** Number of rows that count as near the end. */
const AHEAD = 12
/** Height of a heading in pixels. */
const HEADING = 28

/**
 * A scrolling list of any length that renders only the rows in view. Arrow keys, Home and End move through the elements
 * with `data-row-focus`; the focused row stays mounted, however far it is scrolled away. Screen readers get position
 * and length.
 */
export function VirtualRows({
  label,
  rows,
  hasMore,
  onNearEnd,
  onLeave,
  stickyHeadings = false,
  children,
}: VirtualRowsProps) {
  const scroller = useRef<HTMLElement>(null)
  /** Index of the heading of what is in view; -1 for none. */
  const stuck = useRef(-1)
  const [focused, setFocused] = useState<string | null>(null)
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => rows[index]?.estimate ?? 48,
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: 8,
    paddingEnd: 12,
    measureElement: measureVisible,
    // A row that the keyboard goes to must not end up below the heading.
    scrollPaddingStart: stickyHeadings ? HEADING : 0,
    rangeExtractor: (range) => {
      stuck.current = stickyHeadings ? headingAbove(rows, range.startIndex) : -1
      const focusedRow = rows.findIndex((row) => row.key === focused)
      return rowsWith(range, focusedRow, stuck.current)
    },
  })
  const items = virtualizer.getVirtualItems()
  const last = items.at(-1)?.index ?? -1
  const near = hasMore && last >= rows.length - AHEAD
  useEffect(() => {
    if (near) onNearEnd()
  }, [near, onNearEnd, rows.length])

  const focusRow = (index: number): void => {
    virtualizer.scrollToIndex(index)
    const find = () => scroller.current?.querySelector<HTMLElement>(`[data-index="${index}"] [data-row-focus]`) ?? null
    const there = find()
    if (there) there.focus({ preventScroll: true })
    else requestAnimationFrame(() => requestAnimationFrame(() => find()?.focus({ preventScroll: true })))
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (!(event.target instanceof HTMLElement) || !event.target.matches('[data-row-focus]')) return
    const at = Number(event.target.closest<HTMLElement>('[data-index]')?.dataset['index'])
    const walk = (from: number, step: number): number => {
      let index = from
      while (rows[index]?.heading) index += step
      return rows[index] ? index : -1
    }
    const next =
      event.key === 'ArrowDown'
        ? walk(at + 1, 1)
        : event.key === 'ArrowUp'
          ? walk(at - 1, -1)
          : event.key === 'Home'
            ? walk(0, 1)
            : event.key === 'End'
              ? walk(rows.length - 1, -1)
              : null
    if (event.key === 'Escape' || (event.key === 'ArrowUp' && next === -1)) {
      if (!onLeave) return
      event.preventDefault()
      event.stopPropagation()
      onLeave()
    } else if (next !== null && next !== -1) {
      event.preventDefault()
      focusRow(next)
    }
  }
  const headingsBefore = headingCounts(rows)
  const size = hasMore ? -1 : rows.length - (headingsBefore.at(-1) ?? 0)
  return (
    <nav
      ref={scroller}
      aria-label={label}
      onKeyDown={onKeyDown}
      onFocus={(event) => setFocused(keyOf(event.target, rows))}
      onBlur={() => setFocused(null)}
      className="min-h-0 flex-1 overflow-y-auto overscroll-contain px-2 [overflow-anchor:none]"
    >
      {children}
      {rows.length > 0 && (
        <ul className="relative" style={{ height: virtualizer.getTotalSize() }}>
          {items.map(({ index, key, start }) => {
            const row = rows[index]
            return (
              row && (
                <li
                  key={key}
                  ref={virtualizer.measureElement}
                  data-index={index}
                  // No transition: reduced motion gives everything one of zero length, which would lag a frame behind
                  // scrolling.
                  className={
                    index === stuck.current
                      ? 'sticky inset-x-0 top-0 z-10 transition-none'
                      : 'absolute inset-x-0 top-0 transition-none'
                  }
                  style={index === stuck.current ? undefined : { transform: `translateY(${start}px)` }}
                  {...(!row.heading && {
                    'aria-setsize': size,
                    'aria-posinset': index + 1 - (headingsBefore[index] ?? 0),
                  })}
                >
                  {row.render()}
                </li>
              )
            )
          })}
        </ul>
      )}
    </nav>
  )
}

/** Index of the last heading up to this row; -1 for none. */
function headingAbove(rows: readonly VirtualRow[], index: number): number {
  for (let at = Math.min(index, rows.length - 1); at >= 0; at--) if (rows[at]?.heading) return at
  return -1
}

function keyOf(element: Element, rows: readonly VirtualRow[]): string | null {
  const index = element.closest<HTMLElement>('[data-index]')?.dataset['index']
  return index === undefined ? null : (rows[Number(index)]?.key ?? null)
}

/** For each row, the number of headings up to it. */
function headingCounts(rows: readonly VirtualRow[]): readonly number[] {
  let count = 0
  return rows.map((row) => (count += row.heading === true ? 1 : 0))
}

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
  readonly node: ReactNode
}

interface VirtualRowsProps {
  readonly label: string
  readonly rows: readonly VirtualRow[]
  readonly hasMore: boolean
  /** Called when the reader nears the end. */
  onNearEnd(): void
  /** Arrow up on the first row, or Escape anywhere. */
  onLeave?(): void
  readonly children?: ReactNode
}

/** Number of rows that count as near the end. */
const AHEAD = 12

/**
 * A scrolling list of any length that renders only the rows in view. Arrow keys, Home and End move through the elements
 * with `data-row-focus`; the focused row stays mounted, however far it is scrolled away. Screen readers get position
 * and length.
 */
export function VirtualRows({ label, rows, hasMore, onNearEnd, onLeave, children }: VirtualRowsProps) {
  const scroller = useRef<HTMLElement>(null)
  const [focused, setFocused] = useState<string | null>(null)
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => rows[index]?.estimate ?? 48,
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: 8,
    paddingEnd: 12,
    measureElement: measureVisible,
    rangeExtractor: (range) =>
      rowsWith(
        range,
        rows.findIndex((row) => row.key === focused),
      ),
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
                  className="absolute inset-x-0 top-0 transition-none"
                  style={{ transform: `translateY(${start}px)` }}
                  {...(!row.heading && {
                    'aria-setsize': size,
                    'aria-posinset': index + 1 - (headingsBefore[index] ?? 0),
                  })}
                >
                  {row.node}
                </li>
              )
            )
          })}
        </ul>
      )}
    </nav>
  )
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

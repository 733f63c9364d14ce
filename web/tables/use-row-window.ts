import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { columnsInSight } from './column-widths.ts'
import { contentHeight, rowsInSight, scrolled, windowAt, type RowExtent, type RowWindow } from './row-window.ts'

const SPARE_ROWS = 8
/** Without a scroll for this long (milliseconds) the scroll bar goes where it belongs. */
const REST = 150

interface WindowOptions {
  readonly count: number
  readonly rowPx: number
  readonly headPx: number
  readonly widths: readonly number[]
  /** The rows belong to this; another one begins at the top. */
  readonly of: string
}

/** Which rows and columns of a scrolling grid are in sight, and how to bring a cell into it. */
export function useRowWindow(options: WindowOptions) {
  const scroller = useRef<HTMLDivElement>(null)
  const { count, rowPx, headPx, widths, of } = options
  const [size, setSize] = useState({ width: 800, height: 320 })
  const [place, setPlace] = useState<RowWindow>({ top: 0, offset: 0 })
  const [left, setLeft] = useState(0)
  const extent: RowExtent = { count, row: rowPx, view: Math.max(rowPx, size.height - headPx) }
  const latest = useRef({ extent, place })
  latest.current = { extent, place }
  const resting = useRef<ReturnType<typeof setTimeout>>(undefined)

  useLayoutEffect(() => {
    const element = scroller.current
    if (element === null) return undefined
    const measure = (): void => setSize({ width: element.clientWidth, height: element.clientHeight })
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [])

  const moveTo = useCallback((next: RowWindow) => {
    latest.current.place = next
    setPlace(next)
    if (scroller.current !== null) scroller.current.scrollTop = next.top
  }, [])
  useEffect(() => moveTo({ top: 0, offset: 0 }), [of, moveTo])
  useEffect(() => () => clearTimeout(resting.current), [])

  const onScroll = (): void => {
    const element = scroller.current
    if (element === null) return
    setLeft(element.scrollLeft)
    const before = latest.current.place
    if (Math.abs(element.scrollTop - before.top) < 1) return
    const next = scrolled(before, element.scrollTop, latest.current.extent)
    latest.current.place = next
    setPlace(next)
    clearTimeout(resting.current)
    resting.current = setTimeout(() => {
      const at = windowAt(latest.current.place.offset, latest.current.extent)
      if (Math.abs(at.top - latest.current.place.top) >= 1) moveTo(at)
    }, REST)
  }

  /** Scrolls no more than it takes to see the cell. A row of -1 is the header, which is always seen. */
  const reveal = (row: number, column: number): void => {
    const element = scroller.current
    if (element === null) return
    const start = widths.slice(0, column).reduce((sum, width) => sum + width, 0)
    const end = start + (widths[column] ?? 0)
    if (start < element.scrollLeft) element.scrollLeft = start
    else if (end > element.scrollLeft + element.clientWidth)
      element.scrollLeft = Math.min(start, end - element.clientWidth)
    if (row < 0) return
    const { offset } = latest.current.place
    const { view } = latest.current.extent
    if (row * rowPx < offset) moveTo(windowAt(row * rowPx, latest.current.extent))
    else if ((row + 1) * rowPx > offset + view) moveTo(windowAt((row + 1) * rowPx - view, latest.current.extent))
  }

  return {
    /** For the element that scrolls. */
    scroller,
    rows: rowsInSight(place, extent, SPARE_ROWS),
    columns: columnsInSight(widths, left - 200, left + size.width + 200),
    /** Where a row stands in the scrolled content, in pixels under the header. */
    topOf: (row: number) => row * rowPx - place.offset + place.top,
    height: contentHeight(extent),
    /** Rows that fit, for Page Up and Page Down. */
    pageRows: Math.max(1, Math.floor(extent.view / rowPx) - 1),
    onScroll,
    reveal,
  }
}

import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { columnsInSight } from './column-widths.ts'
import { contentHeight, rowsInSight, scrolled, windowAt, type RowExtent, type RowWindow } from './row-window.ts'

const SPARE_ROWS = 8
/** After this many milliseconds without scrolling, the scroll bar moves to its matching position. */
const REST = 150

interface WindowOptions {
  readonly count: number
  readonly headPx: number
  /** Of the columns, in so many pixels. The same function, as long as it would say the same; so is the next. */
  widthsIn(room: number): readonly number[]
  /** Height of a row, with columns of these widths. */
  rowPxOf(widths: readonly number[]): number
  /** What the rows belong to; when it changes, scrolling starts at the top. */
  readonly of: string
}

/** The rows and columns in view, and how to scroll a cell into view. */
export function useRowWindow(options: WindowOptions) {
  const scroller = useRef<HTMLDivElement>(null)
  const { count, headPx, widthsIn, rowPxOf, of } = options
  const [size, setSize] = useState({ width: 800, height: 320 })
  const widths = useMemo(() => widthsIn(size.width), [widthsIn, size.width])
  const rowPx = useMemo(() => rowPxOf(widths), [rowPxOf, widths])
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

  /** Scrolls just enough to show the cell. Row -1 is the header, which is always visible. */
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
    /** Props of the scrolling element. */
    scroller,
    widths,
    rowPx,
    rows: rowsInSight(place, extent, SPARE_ROWS),
    columns: columnsInSight(widths, left - 200, left + size.width + 200),
    /** Position of a row in the scrolled content, in pixels below the header. */
    topOf: (row: number) => row * rowPx - place.offset + place.top,
    height: contentHeight(extent),
    /** Number of rows that fit, for Page Up and Page Down. */
    pageRows: Math.max(1, Math.floor(extent.view / rowPx) - 1),
    onScroll,
    reveal,
  }
}

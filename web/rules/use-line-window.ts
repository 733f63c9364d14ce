import { type RefObject, useEffect, useState } from 'react'

/** Lines above and below those in view. */
const AHEAD = 6

/** Which lines of a scroller to render: those in view and a few around them. All have the same height, in pixels. */
export function useLineWindow(
  scroller: RefObject<HTMLElement | null>,
  count: number,
  height: number,
): { readonly first: number; readonly last: number; onScroll(): void } {
  const [at, setAt] = useState({ line: 0, lines: 30 })
  const read = (): void => {
    const element = scroller.current
    if (element === null) return
    const line = Math.floor(element.scrollTop / height)
    const lines = Math.ceil(element.clientHeight / height)
    setAt((before) => (before.line === line && before.lines === lines ? before : { line, lines }))
  }
  useEffect(() => {
    const observer = new ResizeObserver(read)
    if (scroller.current !== null) observer.observe(scroller.current)
    return () => observer.disconnect()
  })
  const last = Math.min(count - 1, at.line + at.lines + AHEAD)
  return { first: Math.max(0, Math.min(at.line - AHEAD, last - at.lines)), last, onScroll: read }
}

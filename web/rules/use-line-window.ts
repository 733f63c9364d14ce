import { type RefObject, useEffect, useState } from 'react'

/** Lines above and below those in view. */
const AHEAD = 6

/**
 * Which lines to render: those in view and a few around them. All have the same height, in pixels. `own`: the element
 * scrolls them itself; otherwise it is as high as all of them, and whatever is around it scrolls.
 */
export function useLineWindow(
  element: RefObject<HTMLElement | null>,
  count: number,
  height: number,
  own: boolean,
): { readonly first: number; readonly last: number; onScroll(): void } {
  const [at, setAt] = useState({ line: 0, lines: 30 })
  const read = (): void => {
    const box = element.current
    if (box === null) return
    const above = own ? box.scrollTop : Math.max(0, -box.getBoundingClientRect().top)
    const line = Math.floor(above / height)
    const lines = Math.ceil((own ? box.clientHeight : innerHeight) / height)
    setAt((before) => (before.line === line && before.lines === lines ? before : { line, lines }))
  }
  useEffect(() => {
    const observer = new ResizeObserver(read)
    if (element.current !== null) observer.observe(element.current)
    return () => observer.disconnect()
  })
  useEffect(() => {
    if (own) return undefined
    // Scrolling doesn't bubble: whichever element around it scrolls is heard on the way down.
    document.addEventListener('scroll', read, { capture: true, passive: true })
    window.addEventListener('resize', read)
    return () => {
      document.removeEventListener('scroll', read, { capture: true })
      window.removeEventListener('resize', read)
    }
  })
  const last = Math.min(count - 1, at.line + at.lines + AHEAD)
  return { first: Math.max(0, Math.min(at.line - AHEAD, last - at.lines)), last, onScroll: read }
}

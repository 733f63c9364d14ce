import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'

/** Nearer to the end than this, in pixels, the reader is at the end. */
const END_PX = 48
/** Older messages are fetched when their place is this near. */
const AHEAD = '400px'
/** After opening, pictures and colours of code may still come: the end is followed so long even when nothing runs. */
const SETTLING_MS = 1500

interface ScrollPosition {
  readonly container: RefObject<HTMLDivElement | null>
  readonly content: RefObject<HTMLDivElement | null>
  /** Put on what stands for the older messages: coming near it loads them. */
  readonly sentinel: RefObject<HTMLDivElement | null>
  readonly atEnd: boolean
  onScroll(): void
  toEnd(): void
}

/**
 * Keeps a growing list where its reader wants it: at the end while they are at the end, else where it is, also when older
 * messages (a new `firstId`) appear above.
 */
export function useScrollPosition(
  firstId: string | undefined,
  running: boolean,
  loadOlder: () => Promise<void>,
): ScrollPosition {
  const container = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const sentinel = useRef<HTMLDivElement>(null)
  const [atEnd, setAtEnd] = useState(true)
  const following = useRef(true)
  const before = useRef({ firstId, height: 0 })
  // At rest, something that the reader opens must not be scrolled away under their pointer.
  const follows = useRef(running)

  const toEnd = useCallback(() => {
    const element = container.current
    if (!element) return
    following.current = true
    setAtEnd(true)
    element.scrollTop = element.scrollHeight
  }, [])

  // In every render: what came above must be made up for before it is painted.
  useLayoutEffect(() => {
    const element = container.current
    follows.current = running
    if (!element) return
    if (following.current) element.scrollTop = element.scrollHeight
    else if (before.current.firstId !== firstId) element.scrollTop += element.scrollHeight - before.current.height
    before.current = { firstId, height: element.scrollHeight }
  })

  // What grows without a render: pictures, coloured code, opened details.
  useEffect(() => {
    const inner = content.current
    const outer = container.current
    if (!inner || !outer) return undefined
    const opened = performance.now()
    const observer = new ResizeObserver((entries) => {
      // A keyboard that opens or a phone that turns changes the box, and must not hide what was read last.
      const boxChanged = entries.some((entry) => entry.target === outer)
      if (following.current && (boxChanged || follows.current || performance.now() - opened < SETTLING_MS))
        outer.scrollTop = outer.scrollHeight
      before.current.height = outer.scrollHeight
    })
    observer.observe(inner)
    observer.observe(outer)
    return () => observer.disconnect()
  }, [])

  const onScroll = useCallback(() => {
    const element = container.current
    if (!element) return
    following.current = element.scrollHeight - element.scrollTop - element.clientHeight < END_PX
    setAtEnd(following.current)
  }, [])

  useEffect(() => {
    const element = sentinel.current
    if (!element) return undefined
    const observer = new IntersectionObserver(
      (entries) => {
        // A failed page keeps its button; scrolling again tries again.
        if (entries.some((entry) => entry.isIntersecting)) loadOlder().catch(() => undefined)
      },
      { root: container.current, rootMargin: `${AHEAD} 0px 0px` },
    )
    observer.observe(element)
    return () => observer.disconnect()
    // A change of `loadOlder` means another page: an element that is still near must be looked at anew.
  }, [loadOlder])
  return { container, content, sentinel, atEnd, onScroll, toEnd }
}

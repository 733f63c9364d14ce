import { useVirtualizer, type VirtualItem } from '@tanstack/react-virtual'
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { measureVisible } from '../../parts/virtual/measure-visible.ts'
import { rowsWith } from '../../parts/virtual/rows-with.ts'

/** Within this many pixels of the end, the reader counts as being at the end. */
const END_PX = 48
/** Older messages are fetched when the first row is this close, in rows. */
const AHEAD = 6
/**
 * After opening, images and code highlighting may still load: the end is followed this long even when no run is active.
 */
const SETTLING_MS = 1500

interface MessageScrollOptions {
  readonly count: number
  /** Stable for a message's position, whichever of its alternatives is shown. */
  keyOf(index: number): string
  estimate(index: number): number
  /** Text is growing at the end: it is followed while the reader is at the end. */
  readonly running: boolean
  readonly hasOlder: boolean
  loadOlder(): Promise<void>
}

export interface MessageScroll {
  readonly container: RefObject<HTMLDivElement | null>
  readonly items: readonly VirtualItem[]
  /** Height of all rows, in pixels. */
  readonly height: number
  readonly atEnd: boolean
  measure(element: HTMLElement | null): void
  onScroll(): void
  onFocus(element: Element): void
  toEnd(): void
  toRow(index: number): void
  /** What arrives next must not move the reader, even at the end. */
  hold(): void
}

/**
 * Renders only the messages in view and keeps the reader's position: at the end while they are there, otherwise
 * unchanged, even when older messages appear above or heights differ from the estimate.
 */
export function useMessageScroll(options: MessageScrollOptions): MessageScroll {
  const { count, keyOf, estimate, running, hasOlder, loadOlder } = options
  const container = useRef<HTMLDivElement>(null)
  const [atEnd, setAtEnd] = useState(true)
  const [settling, setSettling] = useState(true)
  const [focused, setFocused] = useState<string | null>(null)
  const following = useRef(true)
  const rows = Array.from({ length: count }, (_, index) => keyOf(index))
  // When nothing is running, something the reader opens must not scroll away under their pointer.
  const follows = atEnd && (running || settling)
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => container.current,
    estimateSize: estimate,
    getItemKey: keyOf,
    overscan: 4,
    paddingStart: hasOlder ? 64 : 24,
    anchorTo: 'end',
    // A negative threshold is never reached.
    scrollEndThreshold: follows ? END_PX : -1,
    initialOffset: () => rows.reduce((sum, _, index) => sum + estimate(index), 0),
    measureElement: measureVisible,
    rangeExtractor: (range) => rowsWith(range, focused === null ? -1 : rows.indexOf(focused)),
  })
  const items = virtualizer.getVirtualItems()

  const toEnd = useCallback(() => {
    following.current = true
    setAtEnd(true)
    virtualizer.scrollToEnd()
  }, [virtualizer])

  const toRow = useCallback(
    (index: number) => {
      following.current = false
      setAtEnd(false)
      virtualizer.scrollToIndex(index, { align: 'center' })
    },
    [virtualizer],
  )

  const last = rows.at(-1)
  useLayoutEffect(() => {
    if (following.current && count > 0) virtualizer.scrollToEnd()
    // A new message or a starting run moves a reader who was at the end along with it.
  }, [virtualizer, last, count, running])

  useEffect(() => {
    const timer = setTimeout(() => setSettling(false), SETTLING_MS)
    return () => clearTimeout(timer)
  }, [])

  // An opening keyboard or a rotated phone resizes the box and must not hide what was read last.
  useEffect(() => {
    const element = container.current
    if (!element) return undefined
    const observer = new ResizeObserver(() => following.current && virtualizer.scrollToEnd())
    observer.observe(element)
    return () => observer.disconnect()
  }, [virtualizer])

  const onScroll = useCallback(() => {
    const element = container.current
    if (!element) return
    following.current = element.scrollHeight - element.scrollTop - element.clientHeight < END_PX
    setAtEnd(following.current)
  }, [])

  const near = hasOlder && (items[0]?.index ?? AHEAD) < AHEAD
  useEffect(() => {
    // A failed page keeps its button; scrolling retries.
    if (near) loadOlder().catch(() => undefined)
  }, [near, loadOlder])

  return {
    container,
    items,
    height: virtualizer.getTotalSize(),
    atEnd,
    measure: virtualizer.measureElement,
    onScroll,
    onFocus: (element) => {
      const index = element.closest<HTMLElement>('[data-index]')?.dataset['index']
      setFocused(index === undefined ? null : (rows[Number(index)] ?? null))
    },
    toEnd,
    toRow,
    hold: () => {
      following.current = false
    },
  }
}

import { useVirtualizer, type VirtualItem } from '@tanstack/react-virtual'
import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { measureVisible } from './measure-visible.ts'
import { rowsWith } from './rows-with.ts'

/** Nearer to the end than this, in pixels, the reader is at the end. */
const END_PX = 48
/** Older messages are fetched when the first row is this near, in rows. */
const AHEAD = 6
/** After opening, pictures and colours of code may still come: the end is followed so long even when nothing runs. */
const SETTLING_MS = 1500

interface MessageScrollOptions {
  readonly count: number
  /** Stays the same for the place of a message, whichever of its alternatives is shown. */
  keyOf(index: number): string
  estimate(index: number): number
  /** Something grows at the end: it is followed while the reader is there. */
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
  /** What comes next must not move the reader, even when they are at the end. */
  hold(): void
}

/**
 * Draws only the messages in sight, and keeps them where the reader wants them: at the end while they are at the end, else
 * where they are, also when older messages appear above or heights turn out other than estimated.
 */
export function useMessageScroll(options: MessageScrollOptions): MessageScroll {
  const { count, keyOf, estimate, running, hasOlder, loadOlder } = options
  const container = useRef<HTMLDivElement>(null)
  const [atEnd, setAtEnd] = useState(true)
  const [settling, setSettling] = useState(true)
  const [focused, setFocused] = useState<string | null>(null)
  const following = useRef(true)
  const rows = Array.from({ length: count }, (_, index) => keyOf(index))
  // At rest, something that the reader opens must not be scrolled away under their pointer.
  const follows = atEnd && (running || settling)
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => container.current,
    estimateSize: estimate,
    getItemKey: keyOf,
    overscan: 4,
    paddingStart: hasOlder ? 64 : 24,
    anchorTo: 'end',
    // Less than nothing is never reached.
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
    // A message more or a run that begins: whoever was at the end goes along.
  }, [virtualizer, last, count, running])

  useEffect(() => {
    const timer = setTimeout(() => setSettling(false), SETTLING_MS)
    return () => clearTimeout(timer)
  }, [])

  // A keyboard that opens or a phone that turns changes the box, and must not hide what was read last.
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
    // A failed page keeps its button; scrolling again tries again.
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

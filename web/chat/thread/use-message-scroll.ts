import { useVirtualizer, type VirtualItem } from '@tanstack/react-virtual'
import { type KeyboardEvent, type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { measureVisible } from '../../parts/virtual/measure-visible.ts'
import { rowsWith } from '../../parts/virtual/rows-with.ts'
import { END_PX, useFollowing } from './use-following.ts'

/** Older messages are fetched when the first row is this close, in rows. */
const AHEAD = 6

interface MessageScrollOptions {
  readonly count: number
  /** Stable for a message's position, whichever of its alternatives is shown. */
  keyOf(index: number): string
  estimate(index: number): number
  /** A message is being sent or answered. */
  readonly active: boolean
  /** Sent just now: the reader sees what they have sent. */
  readonly sending: boolean
  readonly hasOlder: boolean
  loadOlder(): Promise<void>
}

export interface MessageScroll {
  readonly container: RefObject<HTMLDivElement | null>
  readonly items: readonly VirtualItem[]
  /** Height of all rows, in pixels. */
  readonly height: number
  readonly following: boolean
  measure(element: HTMLElement | null): void
  onFocus(element: Element): void
  onKeyDown(event: KeyboardEvent): void
  toEnd(): void
  toRow(index: number): void
}

/**
 * Renders only the messages in view and keeps the reader's place: at the end as long as they follow it (use-following),
 * otherwise unchanged, even when older messages appear above or heights differ from the estimate.
 */
export function useMessageScroll(options: MessageScrollOptions): MessageScroll {
  const { count, keyOf, estimate, active, sending, hasOlder, loadOlder } = options
  const container = useRef<HTMLDivElement>(null)
  const [focused, setFocused] = useState<string | null>(null)
  const { following, pins, follow, leave, onKeyDown } = useFollowing(container, active)
  const rows = Array.from({ length: count }, (_, index) => keyOf(index))
  const pin = useCallback(() => {
    const element = container.current
    if (element && pins()) element.scrollTop = element.scrollHeight
  }, [pins])
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => container.current,
    estimateSize: estimate,
    getItemKey: keyOf,
    overscan: 4,
    paddingStart: hasOlder ? 64 : 24,
    anchorTo: 'end',
    // However far below the end is: rows that change their height must not move it away. A negative one is never reached.
    scrollEndThreshold: pins() ? Number.MAX_SAFE_INTEGER : -1,
    initialOffset: () => rows.reduce((sum, _, index) => sum + estimate(index), 0),
    measureElement: measureVisible,
    rangeExtractor: (range) => rowsWith(range, focused === null ? -1 : rows.indexOf(focused)),
    onChange: pin,
  })
  const items = virtualizer.getVirtualItems()

  // After whatever was rendered, and whatever else has moved the view.
  useLayoutEffect(pin)

  useLayoutEffect(() => {
    if (sending) follow()
  }, [sending, follow])

  // An opening keyboard or a rotated phone resizes the box and must not hide what was read last.
  useEffect(() => {
    const element = container.current
    if (!element) return undefined
    let height = element.clientHeight
    const observer = new ResizeObserver(() => {
      const left = element.scrollHeight - element.scrollTop - height
      height = element.clientHeight
      if (following && left < END_PX) element.scrollTop = element.scrollHeight
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [following])

  const toRow = useCallback(
    (index: number) => {
      leave()
      virtualizer.scrollToIndex(index, { align: 'center' })
    },
    [virtualizer, leave],
  )

  const near = hasOlder && (items[0]?.index ?? AHEAD) < AHEAD
  useEffect(() => {
    // A failed page keeps its button; scrolling retries.
    if (near) loadOlder().catch(() => undefined)
  }, [near, loadOlder])

  return {
    container,
    items,
    height: virtualizer.getTotalSize(),
    following,
    measure: virtualizer.measureElement,
    onFocus: (element) => {
      const index = element.closest<HTMLElement>('[data-index]')?.dataset['index']
      setFocused(index === undefined ? null : (rows[Number(index)] ?? null))
    },
    onKeyDown,
    toEnd: () => {
      follow()
      pin()
    },
    toRow,
  }
}

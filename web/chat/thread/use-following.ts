import { type KeyboardEvent, type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { scrollsItself } from './scrolls-itself.ts'

/** Within this many pixels of the end, a reader who moves towards it has reached it. */
export const END_PX = 48
/** A finger that moves less than this is still, in pixels. */
const FINGER_PX = 10
const BACK = new Set(['PageUp', 'Home', 'ArrowUp'])
const ON = new Set(['PageDown', 'End', 'ArrowDown', ' '])

export interface Following {
  /** The reader wants the newest line in view. */
  readonly following: boolean
  /** Whether growth moves the view now: they want it, and it isn't something that they have opened themselves. */
  pins(): boolean
  follow(): void
  leave(): void
  onKeyDown(event: KeyboardEvent): void
}

/**
 * Whether the reader follows the end of a scrolled box. Only what the reader does changes that: a wheel, a finger, a key
 * or the scroll bar leaves the end, and reaching it again, by any of these, follows. The position alone says nothing, as
 * growing and folding content changes it too.
 *
 * @param active Something is being written at the end. When not, the first press in the box stops the pinning, so that
 *   what the reader opens stays under their pointer; following goes on with the next run.
 */
export function useFollowing(box: RefObject<HTMLElement | null>, active: boolean): Following {
  const [following, setFollowing] = useState(true)
  const wanted = useRef(true)
  const pressed = useRef(false)
  const running = useRef(active)
  /** What the reader did last; `hold`: a press or a move of the focus, which may scroll either way. */
  const intent = useRef<'back' | 'on' | 'hold'>('on')

  const set = useCallback((next: boolean) => {
    wanted.current = next
    setFollowing(next)
  }, [])
  const move = useCallback(
    (way: 'back' | 'on') => {
      intent.current = way
      // At once: until it is rendered, rows that grow would still be kept at the end.
      if (way === 'back' && wanted.current && (box.current?.scrollTop ?? 0) > 0) flushSync(() => set(false))
    },
    [box, set],
  )

  useEffect(() => {
    running.current = active
    if (active) pressed.current = false
  }, [active])

  useEffect(() => {
    const element = box.current
    if (!element) return undefined
    const off = new AbortController()
    // Before anyone who acts on the new position.
    const options = { signal: off.signal, passive: true, capture: true }
    let top = element.scrollTop
    let finger = 0
    element.addEventListener(
      'wheel',
      (event) => {
        const { deltaY, ctrlKey, shiftKey, target } = event
        if (deltaY === 0 || ctrlKey || shiftKey || scrollsItself(target, element, deltaY)) return
        move(deltaY < 0 ? 'back' : 'on')
      },
      options,
    )
    element.addEventListener('touchstart', ({ touches }) => (finger = touches[0]?.clientY ?? 0), options)
    element.addEventListener(
      'touchmove',
      ({ touches, target }) => {
        const way = finger - (touches[0]?.clientY ?? finger)
        if (Math.abs(way) < FINGER_PX) return
        finger -= way
        if (!scrollsItself(target, element, way)) move(way < 0 ? 'back' : 'on')
      },
      options,
    )
    element.addEventListener(
      'pointerdown',
      () => {
        intent.current = 'hold'
        if (!running.current) pressed.current = true
      },
      options,
    )
    element.addEventListener(
      'scroll',
      ({ target }) => {
        if (target !== element) return
        const way = element.scrollTop - top
        top = element.scrollTop
        const left = element.scrollHeight - top - element.clientHeight
        // Content that shrinks moves the view as well, but then it is at the end. While nothing is written, whatever
        // else takes the view away was meant to: a search in the page, a screen reader.
        const meant = intent.current === 'hold' ? left > 2 : !running.current && left > END_PX
        if (way < 0 && meant && wanted.current) flushSync(() => set(false))
        else if (way > 0 && left < END_PX && intent.current !== 'back') set(true)
      },
      options,
    )
    return () => off.abort()
  }, [box, move, set])

  return {
    following,
    pins: useCallback(() => wanted.current && !pressed.current, []),
    follow: useCallback(() => {
      pressed.current = false
      intent.current = 'on'
      set(true)
    }, [set]),
    leave: useCallback(() => {
      intent.current = 'back'
      set(false)
    }, [set]),
    onKeyDown: (event) => {
      if (!running.current && event.key !== 'Tab') pressed.current = true
      if (event.defaultPrevented || isEditable(event.target)) return
      if (event.key === 'Tab') intent.current = 'hold'
      else if (BACK.has(event.key) || (event.key === ' ' && event.shiftKey)) move('back')
      else if (ON.has(event.key)) move('on')
    },
  }
}

function isEditable(target: EventTarget): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select, [role=grid], [role=grid] *')
}

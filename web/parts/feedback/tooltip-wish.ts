import type { PointerEvent } from 'react'
import { later } from '../later.ts'

export const tooltipBubblePart = later(() => import('./tooltip-bubble.tsx'))

/** How long the pointer rests before a text appears; soon after another one was shown, it appears at once. */
const DELAY_MS = 400
const NO_DELAY_WITHIN_MS = 300

/** Closes the tooltip that is shown: there is one at a time. */
let closeShown: (() => void) | null = null
let closedAt = -Infinity

/** Decides when a tooltip is open: the handlers of its element. */
export class TooltipWish {
  readonly #setOpen: (open: boolean) => void
  #timer: ReturnType<typeof setTimeout> | undefined
  /** The pointer is on the element, and has had its effect. */
  #entered = false
  #pressed = false
  /** It should be shown, perhaps as soon as it is loaded. */
  #wanted = false

  constructor(setOpen: (open: boolean) => void) {
    this.#setOpen = setOpen
  }

  readonly onPointerMove = (event: PointerEvent): void => {
    if (event.pointerType === 'touch' || this.#entered) return
    this.#entered = true
    const soon = closeShown !== null || performance.now() - closedAt < NO_DELAY_WITHIN_MS
    // Loaded during the delay.
    tooltipBubblePart.load().catch(() => undefined)
    this.#timer = setTimeout(this.#open, soon ? 0 : DELAY_MS)
  }

  /** While it is shown, it follows the pointer itself: it may be on its way to the text. */
  readonly onPointerLeave = (): void => {
    this.#entered = false
    if (closeShown === this.close) clearTimeout(this.#timer)
    else this.close()
  }

  readonly onPointerDown = (): void => {
    this.close()
    this.#pressed = true
    document.addEventListener('pointerup', () => (this.#pressed = false), { once: true })
  }

  readonly onFocus = (): void => {
    if (!this.#pressed) this.#open()
  }

  readonly close = (): void => {
    clearTimeout(this.#timer)
    this.#wanted = false
    if (closeShown !== this.close) return
    closeShown = null
    closedAt = performance.now()
    this.#setOpen(false)
  }

  readonly #open = (): void => {
    clearTimeout(this.#timer)
    if (closeShown === this.close) return
    this.#wanted = true
    tooltipBubblePart.load().then(
      () => {
        if (!this.#wanted) return
        closeShown?.()
        closeShown = this.close
        this.#setOpen(true)
      },
      // Without a connection there is no text: the element has a name of its own.
      () => undefined,
    )
  }
}

import { Slot } from 'radix-ui'
import { useEffect, useId, useRef, useState, type ReactElement } from 'react'
import { useLater } from '../later.ts'
import type { TooltipBubbleProps } from './tooltip-bubble.tsx'
import { tooltipBubblePart, TooltipWish } from './tooltip-wish.ts'

interface TooltipProps extends Pick<TooltipBubbleProps, 'text' | 'side'> {
  /** One focusable element. */
  readonly children: ReactElement
}

/**
 * A short text shown on hover or focus; never the only source of something a user needs. What shows it is loaded when
 * it is first wanted: until then, a tooltip is a few handlers on its element.
 */
export function Tooltip({ text, side = 'top', children }: TooltipProps) {
  const id = useId()
  const anchor = useRef<HTMLElement>(null)
  const [open, setOpen] = useState(false)
  const [wish] = useState(() => new TooltipWish(setOpen))
  useEffect(() => wish.close, [wish])
  return (
    <>
      <Slot.Root
        ref={anchor}
        aria-describedby={open ? id : undefined}
        onPointerMove={wish.onPointerMove}
        onPointerLeave={wish.onPointerLeave}
        onPointerDown={wish.onPointerDown}
        onFocus={wish.onFocus}
        onBlur={wish.close}
        onClick={wish.close}
      >
        {children}
      </Slot.Root>
      {open && <LoadedBubble id={id} anchor={anchor} text={text} side={side} onClose={wish.close} />}
    </>
  )
}

function LoadedBubble(props: TooltipBubbleProps) {
  const part = useLater(tooltipBubblePart)
  return part && <part.TooltipBubble {...props} />
}

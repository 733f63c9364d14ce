import { Tooltip as Radix } from 'radix-ui'
import type { ReactElement, ReactNode } from 'react'

export interface TooltipProps {
  text: ReactNode
  side?: 'top' | 'right' | 'bottom' | 'left'
  /** One focusable element. */
  children: ReactElement
}

/** A short text shown on hover or focus; never the only source of something a user needs. */
export function Tooltip({ text, side = 'top', children }: TooltipProps) {
  return (
    <Radix.Root delayDuration={400}>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          side={side}
          sideOffset={6}
          collisionPadding={8}
          className="animate-fade bg-ink text-canvas z-50 max-w-72 rounded-md px-2 py-1 text-xs shadow-md"
        >
          {text}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

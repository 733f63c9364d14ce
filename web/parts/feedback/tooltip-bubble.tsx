import { Tooltip as Radix } from 'radix-ui'
import type { ReactNode, RefObject } from 'react'
import { StandIn } from '../layout/stand-in.tsx'

export interface TooltipBubbleProps {
  readonly text: ReactNode
  readonly side?: 'top' | 'right' | 'bottom' | 'left'
  readonly id: string
  /** The element that it belongs to. */
  readonly anchor: RefObject<HTMLElement | null>
  onClose(): void
}

/** The text of a tooltip while it is shown. Loaded by it when first needed. */
export function TooltipBubble({ id, anchor, text, side, onClose }: TooltipBubbleProps) {
  return (
    <Radix.Provider>
      <Radix.Root open onOpenChange={(open) => open || onClose()}>
        <Radix.Trigger asChild>
          <StandIn element={anchor} />
        </Radix.Trigger>
        <Radix.Portal>
          <Radix.Content
            id={id}
            side={side}
            sideOffset={6}
            collisionPadding={8}
            className="animate-fade bg-ink text-canvas z-50 max-w-72 rounded-md px-2 py-1 text-xs shadow-md"
          >
            {text}
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
    </Radix.Provider>
  )
}

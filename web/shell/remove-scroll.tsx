import type { ElementType, ReactNode } from 'react'

/**
 * Replaces the library of the same name that Radix uses (vite.config.ts): the original locks scrolling with a style
 * element, which our content security policy forbids. Our dialogs need no lock, because the page itself does not
 * scroll; only parts of it do, and those are behind the dialog's scrim.
 */
export function RemoveScroll({
  as: As = 'div',
  children,
  className,
}: {
  as?: ElementType
  children?: ReactNode
  className?: string
}) {
  return <As className={className}>{children}</As>
}

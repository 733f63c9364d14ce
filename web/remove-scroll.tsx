import type { ElementType, ReactNode } from 'react'

/**
 * Stands in for the library of the same name below Radix (vite.config.ts): the original locks scrolling by a style
 * element, which our content security policy forbids. Our dialogs need no lock, because the page itself does not
 * scroll; only parts of it do, and those lie behind the dialog's scrim.
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

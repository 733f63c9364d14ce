import type { ReactNode } from 'react'
import { classNames } from '../class-names.ts'

/** A box with a thin border, for a list or a group of facts. */
export function Panel({ className, children }: { className?: string; children: ReactNode }) {
  return (
    <div className={classNames('bg-surface border-line overflow-hidden rounded-lg border', className)}>{children}</div>
  )
}

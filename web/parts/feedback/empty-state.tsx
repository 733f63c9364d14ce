import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

export interface EmptyStateProps {
  icon: LucideIcon
  title: string
  /** What this is, and the next step. */
  text?: ReactNode
  actions?: ReactNode
  /** Heading level for the page's outline. */
  level?: 2 | 3
}

/** Shown for an empty list: says what would be here and what to do next. */
export function EmptyState({ icon: Icon, title, text, actions, level = 2 }: EmptyStateProps) {
  const Heading = `h${level}` as const
  return (
    <div className="flex flex-col items-center px-6 py-10 text-center">
      <span className="bg-sunken text-muted mb-3 inline-flex size-10 items-center justify-center rounded-lg">
        <Icon aria-hidden className="size-5" />
      </span>
      <Heading className="text-md font-medium">{title}</Heading>
      {text !== undefined && <div className="text-muted mt-1 max-w-md text-balance">{text}</div>}
      {actions !== undefined && actions !== false && (
        <div className="mt-4 flex flex-wrap justify-center gap-2">{actions}</div>
      )}
    </div>
  )
}

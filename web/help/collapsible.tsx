import { ChevronDown } from 'lucide-react'
import type { ReactNode } from 'react'

interface FoldProps {
  readonly id?: string
  readonly summary: ReactNode
  /** Initially open. */
  readonly open?: boolean
  readonly children: ReactNode
}

/** Collapses long content behind a line that opens it. */
export function Collapsible({ id, summary, open, children }: FoldProps) {
  return (
    <details id={id} open={open} className="border-line bg-surface group rounded-lg border">
      <summary className="hover:bg-hover flex min-h-11 items-center gap-3 rounded-lg px-4 font-medium">
        <span className="min-w-0 flex-1">{summary}</span>
        <ChevronDown aria-hidden className="text-muted size-4 shrink-0 group-open:rotate-180" />
      </summary>
      <div className="border-line border-t px-4 py-4">{children}</div>
    </details>
  )
}

import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'

interface DownloadLinkProps {
  readonly href: string
  readonly icon: LucideIcon
  readonly children: ReactNode
}

/** A link to a file of this service, styled as a button. */
export function DownloadLink({ href, icon: Icon, children }: DownloadLinkProps) {
  return (
    <a
      href={href}
      download
      className="border-line-strong/60 bg-surface hover:bg-hover inline-flex h-9 shrink-0 items-center gap-2 rounded-md border px-3.5 font-medium whitespace-nowrap shadow-sm"
    >
      <Icon aria-hidden className="size-4" />
      {children}
    </a>
  )
}

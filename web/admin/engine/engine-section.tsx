import { ChevronRight } from 'lucide-react'
import { type ReactNode, useState } from 'react'

interface EngineSectionProps {
  readonly title: string
  /** Something in it is wrong: that opens it, and it stays open when that is mended. */
  readonly faulty: boolean
  readonly children: ReactNode
}

/** Settings of an engine that most leave as they are, closed at first. */
export function EngineSection({ title, faulty, children }: EngineSectionProps) {
  const [opened, setOpened] = useState(false)
  return (
    <details className="group" open={opened || faulty} onToggle={(event) => setOpened(event.currentTarget.open)}>
      <summary className="hover:text-ink text-muted flex w-fit cursor-pointer list-none items-center gap-1.5 font-medium [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden className="size-4 transition-transform group-open:rotate-90" />
        {title}
      </summary>
      <div className="mt-3 grid gap-4 sm:grid-cols-2">{children}</div>
    </details>
  )
}

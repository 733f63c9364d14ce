import { useId, type ReactNode } from 'react'

export interface SectionProps {
  title: string
  /** To the right of the heading. */
  actions?: ReactNode
  children: ReactNode
}

/** A section of a page with a heading. */
export function Section({ title, actions, children }: SectionProps) {
  const id = useId()
  return (
    <section aria-labelledby={id}>
      <div className="mb-2 flex min-h-7 flex-wrap items-center justify-between gap-x-3 gap-y-2">
        <h2 id={id} className="font-semibold">
          {title}
        </h2>
        {actions}
      </div>
      {children}
    </section>
  )
}

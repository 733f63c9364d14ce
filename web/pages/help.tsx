import { useParams } from '@tanstack/react-router'
import { type ComponentType, lazy, Suspense } from 'react'
import { PagePending } from '../parts/feedback/page-pending.tsx'
import { NotFound } from './not-found.tsx'

/** The help pages by the last segment of their path; each loads separately. */
const PAGES: Readonly<Partial<Record<string, ComponentType>>> = {
  guide: lazy(async () => ({ default: (await import('./help/guide.tsx')).Guide })),
  certificates: lazy(async () => ({ default: (await import('./help/certificates.tsx')).Certificates })),
  api: lazy(async () => ({ default: (await import('./help/api-reference.tsx')).ApiReference })),
  about: lazy(async () => ({ default: (await import('./help/about.tsx')).About })),
  author: lazy(async () => ({ default: (await import('./help/author.tsx')).Author })),
}

/** One of the help pages; the guide by default. */
export function HelpPage() {
  const { page = 'guide' } = useParams({ strict: false })
  const Content = PAGES[page]
  if (Content === undefined) return <NotFound />
  return (
    <Suspense fallback={<PagePending />}>
      <Content />
    </Suspense>
  )
}

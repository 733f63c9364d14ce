import { Link } from '@tanstack/react-router'
import { ChevronDown } from 'lucide-react'
import { useEffect, useId, useRef } from 'react'
import { classNames } from '../parts/class-names.ts'
import { t } from '../text/i18n.ts'
import type { Chapter } from './chapter.ts'

interface GuideContentsProps {
  readonly chapters: readonly Chapter[]
  /** Id of the current chapter. */
  readonly current: string
}

/** The list of chapters, for everyone and for administrators. Collapsed on a phone. */
export function GuideContents({ chapters, current }: GuideContentsProps) {
  const details = useRef<HTMLDetailsElement>(null)
  useEffect(() => {
    if (details.current) details.current.open = false
  }, [current])
  const groups = (
    <nav aria-label={t('help.contents')} className="space-y-4 py-2">
      <Group
        title={t('help.for_everyone')}
        chapters={chapters.filter((one) => one.audience === 'everyone')}
        current={current}
      />
      <Group
        title={t('help.for_administrators')}
        chapters={chapters.filter((one) => one.audience === 'administrators')}
        current={current}
      />
    </nav>
  )
  return (
    <>
      <details ref={details} className="border-line group mt-3 mb-6 rounded-lg border lg:hidden">
        <summary className="flex h-10 items-center justify-between px-3 font-medium">
          {t('help.contents')}
          <ChevronDown aria-hidden className="text-muted size-4 group-open:rotate-180" />
        </summary>
        <div className="border-line border-t px-1">{groups}</div>
      </details>
      <div className="mt-3 max-lg:hidden">{groups}</div>
    </>
  )
}

function Group({ title, chapters, current }: GuideContentsProps & { readonly title: string }) {
  const id = useId()
  if (chapters.length === 0) return null
  return (
    <div>
      <h2 id={id} className="text-muted px-2 pb-1 text-xs font-medium">
        {title}
      </h2>
      <ul aria-labelledby={id}>
        {chapters.map((chapter) => (
          <li key={chapter.id}>
            <Link
              to="/help"
              search={{ chapter: chapter.id }}
              // Without a chapter in the address, the first one is shown.
              aria-current={chapter.id === current ? 'page' : undefined}
              className={classNames(
                'hover:bg-hover hover:text-ink block rounded-md px-2 py-1',
                chapter.id === current ? 'bg-hover text-ink font-medium' : 'text-muted',
              )}
            >
              {chapter.title}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  )
}

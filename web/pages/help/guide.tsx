import { useQuery } from '@tanstack/react-query'
import { useLocation, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { currentLanguage, t } from '../../text/i18n.ts'
import { Notice } from '../../parts/feedback/notice.tsx'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { SkeletonRows } from '../../parts/feedback/skeleton.tsx'
import type { Chapter } from '../../help/chapter.ts'
import { ChapterView } from '../../help/chapter-view.tsx'
import { GuideContents } from '../../help/guide-contents.tsx'
import { GuideSearch } from '../../help/guide-search.tsx'
import { loadGuide } from '../../help/guide-texts.ts'
import { HelpFrame } from '../../help/help-frame.tsx'

/** The guide: one chapter at a time, with a list of chapters and a search over all of them. */
export function Guide() {
  const language = currentLanguage()
  const query = useQuery({
    queryKey: ['help', 'guide', language],
    queryFn: () => loadGuide(language),
    staleTime: Infinity,
  })
  return (
    <HelpFrame page="">
      <QueryView query={query} failed={t('help.load_failed')} loading={<SkeletonRows rows={6} className="h-10" />}>
        {(chapters) => <Opened chapters={chapters} />}
      </QueryView>
    </HelpFrame>
  )
}

function Opened({ chapters }: { readonly chapters: readonly Chapter[] }) {
  const { chapter: wanted } = useSearch({ from: '/app/help' })
  const { hash } = useLocation()
  const [query, setQuery] = useState('')
  const found = chapters.findIndex(({ id }) => id === wanted)
  const at = Math.max(found, 0)
  const chapter = chapters[at]!
  useEffect(() => {
    const target = hash === '' ? null : document.getElementById(hash)
    if (target === null) document.getElementById('content')?.scrollTo({ top: 0 })
    else {
      target.scrollIntoView()
      // Keyboard users continue from there.
      target.focus({ preventScroll: true })
    }
  }, [chapter.id, hash])
  return (
    <div className="gap-10 lg:grid lg:grid-cols-[15rem_minmax(0,1fr)]">
      <aside className="help-aside lg:sticky lg:top-20 lg:max-h-[calc(100dvh-6rem)] lg:self-start lg:overflow-y-auto">
        <GuideSearch chapters={chapters} query={query} onQuery={setQuery} />
        <GuideContents chapters={chapters} current={chapter.id} />
      </aside>
      <div className="min-w-0">
        {wanted !== undefined && found < 0 && (
          <Notice tone="info" className="mb-6">
            {t('help.no_chapter')}
          </Notice>
        )}
        <ChapterView chapter={chapter} previous={chapters[at - 1]} next={chapters[at + 1]} />
      </div>
    </div>
  )
}

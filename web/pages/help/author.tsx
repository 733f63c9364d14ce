import { useQuery } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { useEffect } from 'react'
import { currentLanguage, t } from '../../text/i18n.ts'
import { KitDownload } from '../../modules/install/kit-download.tsx'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { Section } from '../../parts/layout/section.tsx'
import { SkeletonRows } from '../../parts/feedback/skeleton.tsx'
import { sessionQuery } from '../../client/queries.ts'
import { readHelpMarkdown } from '../../help/chapter.ts'
import { Collapsible } from '../../help/collapsible.tsx'
import { loadAuthorTexts } from '../../help/guide-texts.ts'
import { HelpFrame } from '../../help/help-frame.tsx'
import { HelpText } from '../../help/help-text.tsx'
import { loadKitGuide } from '../../help/own-texts.ts'

/** Who makes Reeve and how to contribute, and the kit's guide to writing modules. */
export function Author() {
  const language = currentLanguage()
  const session = useQuery(sessionQuery)
  const texts = useQuery({
    queryKey: ['help', 'author', language],
    queryFn: () => loadAuthorTexts(language),
    staleTime: Infinity,
  })
  return (
    <HelpFrame page="author">
      <div className="max-w-[46rem] space-y-8">
        <QueryView query={texts} failed={t('help.load_failed')} loading={<SkeletonRows rows={4} />}>
          {(chapters) =>
            chapters.map((chapter) => (
              <article key={chapter.id} aria-labelledby={chapter.id}>
                <h2 id={chapter.id} className="mb-4 text-2xl font-semibold tracking-tight">
                  {chapter.title}
                </h2>
                <HelpText blocks={chapter.blocks} />
              </article>
            ))
          }
        </QueryView>
        {session.data?.user.admin === true && <KitDownload />}
        <KitGuide />
      </div>
    </HelpFrame>
  )
}

/** The kit's guide. English only: it is written for coding agents as much as for people. */
function KitGuide() {
  const { hash } = useLocation()
  const guide = useQuery({
    queryKey: ['help', 'kit'],
    queryFn: async () =>
      (await loadKitGuide()).map(({ id, source }) => {
        const title = /^# (.*)$/m.exec(source)?.[1] ?? id
        const body = source.replace(/^# .*\n/m, '')
        return { id, title, ...readHelpMarkdown(body, title) }
      }),
    staleTime: Infinity,
  })
  useEffect(() => {
    const target = document.getElementById(`kit-${hash}`)
    if (target instanceof HTMLDetailsElement) target.open = true
    target?.scrollIntoView()
  }, [hash, guide.data])
  return (
    <Section title={t('author.kit_guide')}>
      <QueryView query={guide} failed={t('help.load_failed')} loading={<SkeletonRows rows={6} />}>
        {(chapters) => (
          <div className="space-y-2" lang="en">
            {chapters.map(({ id, title, blocks }) => (
              <Collapsible key={id} id={`kit-${id}`} summary={title}>
                <HelpText blocks={blocks} />
              </Collapsible>
            ))}
          </div>
        )}
      </QueryView>
    </Section>
  )
}

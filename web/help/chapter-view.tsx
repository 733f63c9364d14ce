import { Link } from '@tanstack/react-router'
import { ArrowLeft, ArrowRight, Printer } from 'lucide-react'
import { classNames } from '../parts/class-names.ts'
import { t } from '../text/i18n.ts'
import { IconButton } from '../parts/controls/icon-button.tsx'
import type { Chapter } from './chapter.ts'
import { HelpText } from './help-text.tsx'

interface ChapterViewProps {
  readonly chapter: Chapter
  readonly previous: Chapter | undefined
  readonly next: Chapter | undefined
}

/** One chapter with its table of contents and links to the previous and next one. */
export function ChapterView({ chapter, previous, next }: ChapterViewProps) {
  const parts = chapter.headings.filter(({ depth }) => depth <= 2)
  return (
    <div className="gap-10 xl:grid xl:grid-cols-[minmax(0,1fr)_11rem]">
      <article className="max-w-[46rem] min-w-0" aria-labelledby="chapter">
        <div className="mb-4 flex items-start justify-between gap-3">
          <h2 id="chapter" className="text-2xl font-semibold tracking-tight">
            {chapter.title}
          </h2>
          <span className="help-no-print">
            <IconButton label={t('help.print')} icon={Printer} onClick={() => window.print()} />
          </span>
        </div>
        <HelpText blocks={chapter.blocks} hrefOf={(id) => `/help?chapter=${chapter.id}#${id}`} />
        <nav aria-label={t('help.neighbours')} className="border-line mt-10 grid gap-3 border-t pt-6 sm:grid-cols-2">
          {previous && <Neighbour chapter={previous} word={t('help.previous')} />}
          {next && <Neighbour chapter={next} word={t('help.next')} forward />}
        </nav>
      </article>
      {parts.length > 1 && (
        <nav aria-label={t('help.on_page')} className="help-aside sticky top-20 self-start max-xl:hidden">
          <h3 className="text-muted pb-1 text-xs font-medium">{t('help.on_page')}</h3>
          <ul className="border-line border-s text-sm">
            {parts.map(({ id, text }) => (
              <li key={id}>
                <Link
                  to="/help"
                  search={{ chapter: chapter.id }}
                  hash={id}
                  activeOptions={{ includeHash: true }}
                  className="text-muted hover:text-ink aria-[current=page]:border-accent aria-[current=page]:text-ink -ms-px block border-s-2 border-transparent py-1 ps-3"
                >
                  {text}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
      )}
    </div>
  )
}

interface NeighbourProps {
  readonly chapter: Chapter
  readonly word: string
  readonly forward?: boolean
}

function Neighbour({ chapter, word, forward = false }: NeighbourProps) {
  const Icon = forward ? ArrowRight : ArrowLeft
  return (
    <Link
      to="/help"
      search={{ chapter: chapter.id }}
      className={classNames(
        'border-line hover:bg-hover flex items-center gap-3 rounded-lg border px-4 py-3',
        forward && 'flex-row-reverse text-end sm:col-start-2',
      )}
    >
      <Icon aria-hidden className="text-muted size-4 shrink-0" />
      <span className="min-w-0">
        <span className="text-muted block text-xs">{word}</span>
        <span className="block font-medium">{chapter.title}</span>
      </span>
    </Link>
  )
}

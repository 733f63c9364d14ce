import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useId, useState } from 'react'
import { classNames } from '../parts/class-names.ts'
import { SearchBox } from '../parts/controls/search-box.tsx'
import { t } from '../text/i18n.ts'
import { Highlight } from '../shell/palette/highlight.tsx'
import type { Chapter } from './chapter.ts'
import { findSections, type FoundSection } from './find-sections.ts'

interface GuideSearchProps {
  readonly chapters: readonly Chapter[]
  readonly query: string
  onQuery(query: string): void
}

/** Searches the sections of all chapters while typing. Arrow keys select, Enter opens, Escape ends the search. */
export function GuideSearch({ chapters, query, onQuery }: GuideSearchProps) {
  const navigate = useNavigate()
  const id = useId()
  const [chosen, setChosen] = useState(0)
  const found = findSections(chapters, query)
  const active = Math.min(chosen, found.length - 1)
  const open = (section: FoundSection | undefined): void => {
    if (section === undefined) return
    onQuery('')
    void navigate({ to: '/help', search: { chapter: section.chapter }, hash: section.id })
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (query === '') return
    if (event.key === 'ArrowDown') setChosen((active + 1) % Math.max(found.length, 1))
    else if (event.key === 'ArrowUp') setChosen((active - 1 + found.length) % Math.max(found.length, 1))
    else if (event.key === 'Enter') open(found[active])
    else return
    event.preventDefault()
  }
  return (
    <search className="relative block">
      <SearchBox
        label={t('help.search')}
        value={query}
        onChange={(next) => {
          onQuery(next)
          setChosen(0)
        }}
        onKeyDown={onKeyDown}
        maxLength={200}
        role="combobox"
        aria-expanded={found.length > 0}
        aria-controls={`${id}-list`}
        aria-autocomplete="list"
        aria-activedescendant={found.length > 0 ? `${id}-${active}` : undefined}
      />
      <p role="status" className={found.length === 0 && query.trim() !== '' ? 'text-muted mt-2 px-2' : 'sr-only'}>
        {query.trim() === '' ? '' : t('help.found', { count: found.length })}
      </p>
      <ul id={`${id}-list`} role="listbox" aria-label={t('help.results')} className="mt-1 not-empty:mb-4">
        {found.map((section, index) => (
          <li
            key={`${section.chapter}#${section.id}`}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === active}
            onMouseMove={() => setChosen(index)}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => open(section)}
            className={classNames('cursor-pointer rounded-md px-2 py-1.5', index === active && 'bg-hover')}
          >
            <span className="block font-medium">
              <Highlight text={section.heading} ranges={section.headingRanges} />
            </span>
            {section.id !== '' && <span className="text-muted block text-xs">{section.chapterTitle}</span>}
            <span className="text-muted line-clamp-2 text-sm">
              <Highlight text={section.snippet} ranges={section.snippetRanges} />
            </span>
          </li>
        ))}
      </ul>
    </search>
  )
}

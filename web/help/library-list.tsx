import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { fold } from '../text/fold.ts'
import { t } from '../text/i18n.ts'
import { OutsideLink } from '../parts/layout/outside-link.tsx'
import { QueryView } from '../parts/feedback/query-view.tsx'
import { Section } from '../parts/layout/section.tsx'
import { SkeletonRows } from '../parts/feedback/skeleton.tsx'
import { SearchBox } from '../parts/controls/search-box.tsx'
import { Collapsible } from './collapsible.tsx'
import { type Licences, loadLicences } from './load-licences.ts'

/** Every library that Reeve is built with, and its licence. */
export function LibraryList() {
  const query = useQuery({ queryKey: ['help', 'licences'], queryFn: loadLicences, staleTime: Infinity })
  return (
    <Section title={t('about.libraries')}>
      <QueryView query={query} failed={t('about.libraries_failed')} loading={<SkeletonRows rows={4} />}>
        {(licences) => <Found licences={licences} />}
      </QueryView>
    </Section>
  )
}

function Found({ licences: { packages, texts } }: { readonly licences: Licences }) {
  const [search, setSearch] = useState('')
  const wanted = fold(search.trim()).text
  const found = packages.filter(({ name, licence }) => fold(`${name} ${licence}`).text.includes(wanted))
  return (
    <Collapsible summary={t('about.libraries_count', { count: packages.length })}>
      <SearchBox label={t('about.libraries_search')} value={search} onChange={setSearch} />
      <p role="status" className={found.length === 0 ? 'text-muted mt-3' : 'sr-only'}>
        {t('about.libraries_found', { count: found.length })}
      </p>
      <ul className="divide-line mt-2 divide-y">
        {found.map(({ name, version, licence, link, text }) => (
          <li key={`${name}@${version}`} className="py-2">
            <div className="flex flex-wrap items-baseline gap-x-3">
              <span className="font-medium break-all">{name}</span>
              <span className="text-muted tabular text-sm">{version}</span>
              <span className="ms-auto text-sm">{licence}</span>
            </div>
            {link !== null && (
              <p className="text-sm">
                <OutsideLink href={link} />
              </p>
            )}
            {text !== null && <LicenceText text={texts[text] ?? ''} name={name} />}
          </li>
        ))}
      </ul>
    </Collapsible>
  )
}

/** Rendered only when opened: there are hundreds. */
function LicenceText({ text, name }: { readonly text: string; readonly name: string }) {
  const [open, setOpen] = useState(false)
  return (
    <details className="mt-1" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="text-muted hover:text-ink text-sm" aria-label={t('about.licence_of', { name })}>
        {t('about.show_text')}
      </summary>
      {open && (
        <pre
          tabIndex={0}
          aria-label={name}
          className="bg-sunken mt-1 max-h-80 overflow-auto rounded-md p-3 text-xs whitespace-pre-wrap"
        >
          {text}
        </pre>
      )}
    </details>
  )
}

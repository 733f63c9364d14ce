import { useQuery } from '@tanstack/react-query'
import { Braces, FileText } from 'lucide-react'
import { type KeyboardEvent, useDeferredValue, useRef, useState } from 'react'
import type { ResourceEntry } from '../../../../contract/resources.ts'
import { SearchBox } from '../../../parts/controls/search-box.tsx'
import { ErrorNotice } from '../../../parts/feedback/error-notice.tsx'
import { SkeletonRows } from '../../../parts/feedback/skeleton.tsx'
import { formatBytes } from '../../../text/format.ts'
import { t } from '../../../text/i18n.ts'
import { resourcesQuery } from './resource-queries.ts'

interface ResourceListProps {
  titleOf(entry: ResourceEntry): string
  /** The one that is being read. */
  readonly reading: ResourceEntry | null
  /** Why the last one was not read. */
  readonly error: unknown
  onChoose(entry: ResourceEntry): void
}

/** What modules offer, by words. The arrow keys go from the search through the rows; Enter in the search takes the first. */
export function ResourceList({ titleOf, reading, error, onChoose }: ResourceListProps) {
  const [q, setQ] = useState('')
  const list = useRef<HTMLUListElement>(null)
  const query = useQuery(resourcesQuery(useDeferredValue(q.trim())))
  const { items = [], more = false, silent = [] } = query.data ?? {}
  const rows = (): HTMLElement[] => [...(list.current?.querySelectorAll('button') ?? [])]
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    event.preventDefault()
    const all = rows()
    const at = all.indexOf(document.activeElement as HTMLElement) + (event.key === 'ArrowDown' ? 1 : -1)
    all[Math.min(Math.max(at, 0), all.length - 1)]?.focus()
  }
  return (
    // The keys of all rows and of the search.
    // eslint-disable-next-line jsx-a11y/no-static-element-interactions
    <div onKeyDown={onKeyDown} className="space-y-3">
      <SearchBox
        label={t('resources.search')}
        value={q}
        autoFocus
        onChange={setQ}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && items[0] !== undefined && reading === null && !query.isPlaceholderData)
            onChoose(items[0])
        }}
      />
      {error !== null && <ErrorNotice title={t('resources.not_read')} error={error} />}
      {query.isError && (
        <ErrorNotice title={t('resources.load_failed')} error={query.error} onRetry={() => void query.refetch()} />
      )}
      {query.isPending && <SkeletonRows rows={4} className="h-11" />}
      {query.isSuccess && items.length === 0 && <p className="text-muted">{t('resources.none')}</p>}
      <ul ref={list} aria-label={t('resources.title')} className="-mx-2 max-h-[50dvh] overflow-y-auto">
        {items.map((entry) => (
          <ResourceRow
            key={`${entry.module} ${entry.uri ?? entry.template}`}
            entry={entry}
            module={titleOf(entry)}
            busy={reading !== null}
            onChoose={onChoose}
          />
        ))}
      </ul>
      {more && <p className="text-muted text-sm">{t('resources.more')}</p>}
      {silent.length > 0 && (
        <p className="text-warn text-sm">{t('resources.silent', { modules: silent.join(', ') })}</p>
      )}
    </div>
  )
}

interface ResourceRowProps {
  readonly entry: ResourceEntry
  readonly module: string
  readonly busy: boolean
  onChoose(entry: ResourceEntry): void
}

function ResourceRow({ entry, module, busy, onChoose }: ResourceRowProps) {
  const Icon = entry.uri === null ? Braces : FileText
  const address = entry.uri ?? entry.template
  return (
    <li>
      <button
        type="button"
        aria-disabled={busy}
        onClick={() => busy || onChoose(entry)}
        className="hover:bg-hover focus-visible:bg-hover flex w-full items-start gap-2.5 rounded-md px-2 py-2 text-start focus-visible:-outline-offset-2 aria-disabled:opacity-60"
      >
        <Icon aria-hidden className="text-muted mt-0.5 size-4 shrink-0" />
        <span className="min-w-0 flex-1">
          <span className="flex items-baseline gap-2">
            <span className="min-w-0 truncate font-medium">{entry.title}</span>
            <span className="text-muted shrink-0 text-xs">{module}</span>
            {entry.size !== null && (
              <span className="text-muted ms-auto shrink-0 text-xs tabular-nums">{formatBytes(entry.size)}</span>
            )}
          </span>
          {entry.description !== '' && <span className="text-muted block truncate text-sm">{entry.description}</span>}
          <span className="text-muted block truncate font-mono text-xs">{address}</span>
        </span>
      </button>
    </li>
  )
}

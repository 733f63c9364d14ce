import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { RegistryServer, RegistryWay } from '../../../contract/module-registry.ts'
import { call } from '../../client/api.ts'
import { t } from '../../text/i18n.ts'
import { Button } from '../../parts/controls/button.tsx'
import { SearchBox } from '../../parts/controls/search-box.tsx'
import { Badge } from '../../parts/feedback/badge.tsx'
import { ErrorNotice } from '../../parts/feedback/error-notice.tsx'
import { wayLabel } from './registry-way.ts'

interface ServerSearchProps {
  /** Host of the registry. */
  readonly registry: string
  /** What was searched for; empty: nothing yet. */
  readonly words: string
  onWords(words: string): void
  onChoose(server: RegistryServer, way: RegistryWay): void
}

/** Looks in an MCP registry for servers, once asked to: what is typed goes there only then. */
export function ServerSearch({ registry, words, onWords, onChoose }: ServerSearchProps) {
  const [typed, setTyped] = useState(words)
  const query = useInfiniteQuery({
    queryKey: ['module-registry', words],
    queryFn: ({ pageParam, signal }) =>
      call('GET /api/module-registry', {
        query: { search: words, ...(pageParam !== null && { cursor: pageParam }) },
        signal,
      }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor: next }) => next,
    enabled: words !== '',
    staleTime: 60_000,
    retry: false,
  })
  const found = query.data?.pages.flatMap(({ items }) => items) ?? []
  const search = (): void => {
    if (typed.trim() === words) void query.refetch()
    else onWords(typed.trim())
  }
  return (
    <div className="space-y-3">
      <SearchBox
        label={t('modules.registry_search', { registry })}
        value={typed}
        onChange={setTyped}
        maxLength={100}
        enterKeyHint="search"
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          // Not the form around it.
          event.preventDefault()
          if (typed.trim() !== '') search()
        }}
      />
      {query.isError && (
        <ErrorNotice title={t('modules.registry_failed')} error={query.error} onRetry={() => void query.refetch()} />
      )}
      <div aria-live="polite" aria-busy={query.isFetching}>
        {query.isFetching && !query.isFetchingNextPage && (
          <p className="text-muted text-sm">{t('modules.registry_searching')}</p>
        )}
        {query.isSuccess && found.length === 0 && <p className="text-muted text-sm">{t('modules.registry_none')}</p>}
      </div>
      {found.length > 0 && (
        <>
          <p className="text-muted text-sm">{t('modules.registry_text')}</p>
          <ul aria-label={registry} className="border-line divide-line divide-y rounded-md border">
            {found.map((server, index) => (
              <FoundServer key={`${server.name} ${index}`} server={server} onChoose={onChoose} />
            ))}
          </ul>
        </>
      )}
      {query.hasNextPage && (
        <Button size="sm" busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          {t('modules.registry_more')}
        </Button>
      )}
    </div>
  )
}

function FoundServer({ server, onChoose }: { readonly server: RegistryServer } & Pick<ServerSearchProps, 'onChoose'>) {
  const { name, title, description, version, deprecated, ways, impossible } = server
  return (
    <li className="space-y-1.5 px-3 py-2.5">
      <p className="flex flex-wrap items-baseline gap-x-2 gap-y-0.5">
        <span className="font-medium break-words">{title}</span>
        <span className="text-muted font-mono text-xs break-all">{version}</span>
        {deprecated && <Badge tone="warn">{t('modules.registry_deprecated')}</Badge>}
      </p>
      {title !== name && <p className="text-muted font-mono text-xs break-all">{name}</p>}
      {description !== '' && <p className="text-muted line-clamp-3 text-sm break-words">{description}</p>}
      {ways.length > 0 && (
        <p className="flex flex-wrap gap-2">
          {ways.map((way, index) => (
            <Button
              key={`${index}`}
              size="sm"
              aria-label={`${title}: ${wayLabel(way)}`}
              onClick={() => onChoose(server, way)}
            >
              <span className="truncate">{wayLabel(way)}</span>
            </Button>
          ))}
        </p>
      )}
      {ways.length === 0 &&
        impossible.map(({ what, why }, index) => (
          <p key={`${index}`} className="text-sm break-words">
            {t('modules.registry_impossible', { name: what })}: {why}
          </p>
        ))}
    </li>
  )
}

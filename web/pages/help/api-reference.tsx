import { useQuery } from '@tanstack/react-query'
import { useLocation } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { useEffect, useMemo, useState } from 'react'
import { call } from '../../client/api.ts'
import { t, tIfKnown } from '../../text/i18n.ts'
import { QueryView } from '../../parts/feedback/query-view.tsx'
import { Section } from '../../parts/layout/section.tsx'
import { SkeletonRows } from '../../parts/feedback/skeleton.tsx'
import { SearchBox } from '../../parts/controls/search-box.tsx'
import type { OpenApiDocument } from '../../help/api/openapi-document.ts'
import { OperationRow } from '../../help/api/operation-row.tsx'
import { findOperations, operationsOf } from '../../help/api/operations.ts'
import { DownloadLink } from '../../help/download-link.tsx'
import { HelpFrame } from '../../help/help-frame.tsx'

/** The service's API reference, generated from its own OpenAPI document, with forms to try each route. */
export function ApiReference() {
  const query = useQuery({
    queryKey: ['openapi'],
    queryFn: async ({ signal }) => (await call('GET /api/openapi.json', { signal })) as unknown as OpenApiDocument,
    staleTime: Infinity,
  })
  return (
    <HelpFrame
      page="api"
      actions={
        <DownloadLink href="/api/openapi.json" icon={Download}>
          <span className="max-sm:sr-only">{t('api.download')}</span>
        </DownloadLink>
      }
    >
      <QueryView query={query} failed={t('api.load_failed')} loading={<SkeletonRows rows={8} className="h-11" />}>
        {(document) => <Reference document={document} />}
      </QueryView>
    </HelpFrame>
  )
}

function Reference({ document }: { readonly document: OpenApiDocument }) {
  const { hash } = useLocation()
  const [search, setSearch] = useState('')
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set([hash]))
  const all = useMemo(() => operationsOf(document), [document])
  const found = findOperations(all, search)
  const groups = [...new Set(found.map(({ group }) => group))]
  useEffect(() => {
    if (hash === '') return
    setOpen((before) => new Set([...before, hash]))
    // A link leads to its route even when a search hides it.
    setSearch('')
  }, [hash])
  const linked = hash !== '' && open.has(hash) && found.some(({ id }) => id === hash)
  useEffect(() => {
    if (linked) window.document.getElementById(hash)?.scrollIntoView()
  }, [hash, linked])
  const toggle = (id: string, next: boolean): void =>
    setOpen((before) => new Set(next ? [...before, id] : [...before].filter((one) => one !== id)))
  return (
    <div className="max-w-[56rem]">
      <p className="mb-4 max-w-[46rem]">{t('api.intro')}</p>
      <SearchBox label={t('api.search')} value={search} onChange={setSearch} />
      <p role="status" className={found.length === 0 ? 'text-muted mt-4' : 'sr-only'}>
        {t('api.found', { count: found.length })}
      </p>
      <div className="mt-6 space-y-8">
        {groups.map((group) => (
          <Section key={group} title={tIfKnown(`api.group_${group}`) ?? group}>
            <ul className="space-y-2">
              {found
                .filter((operation) => operation.group === group)
                .map((operation) => (
                  <OperationRow
                    key={operation.id}
                    document={document}
                    operation={operation}
                    open={open.has(operation.id)}
                    onToggle={(next) => toggle(operation.id, next)}
                  />
                ))}
            </ul>
          </Section>
        ))}
      </div>
    </div>
  )
}

import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { ListChecks, Plus } from 'lucide-react'
import type { Procedure } from '../../contract/procedure-values.ts'
import { call } from '../client/api.ts'
import { Button } from '../parts/controls/button.tsx'
import { Badge } from '../parts/feedback/badge.tsx'
import { EmptyState } from '../parts/feedback/empty-state.tsx'
import { RelativeTime } from '../parts/feedback/relative-time.tsx'
import { Panel } from '../parts/layout/panel.tsx'
import { Section } from '../parts/layout/section.tsx'
import { t } from '../text/i18n.ts'
import { examplesQuery } from './procedures-query.ts'
import { useProcedureChange } from './use-procedure-change.ts'
import { VersionState } from './version-state.tsx'

/** All procedures that the reader sees, and below them those that ship with Reeve. */
export function ProcedureList({ items }: { readonly items: readonly Procedure[] }) {
  return (
    <div className="space-y-8">
      <Panel>
        {items.length === 0 ? (
          <EmptyState icon={ListChecks} title={t('procedures.none')} text={t('procedures.none_text')} />
        ) : (
          <ul aria-label={t('nav.procedures')} className="divide-line divide-y">
            {items.map((procedure) => (
              <ProcedureRow key={procedure.procedure_id} procedure={procedure} />
            ))}
          </ul>
        )}
      </Panel>
      <Examples />
    </div>
  )
}

function ProcedureRow({ procedure }: { readonly procedure: Procedure }) {
  const { procedure_id, name, description, newest, current_version, may } = procedure
  return (
    <li className="hover:bg-hover relative grid gap-x-4 gap-y-0.5 px-4 py-2.5 sm:grid-cols-[1fr_auto] sm:items-center">
      <div className="min-w-0">
        <p className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <Link
            to="/procedures/$id"
            params={{ id: procedure_id }}
            className="font-medium break-words before:absolute before:inset-0 focus-visible:outline-none focus-visible:before:outline-2 focus-visible:before:-outline-offset-2"
          >
            {name}
          </Link>
          {may.review && <Badge tone="warn">{t('procedures.review_wanted')}</Badge>}
        </p>
        {description !== '' && <p className="text-muted truncate text-sm">{description}</p>}
      </div>
      <p className="text-muted flex flex-wrap items-center gap-x-3 text-sm">
        <VersionState state={newest.state} />
        {current_version !== null && <span>{t('procedures.version', { version: current_version })}</span>}
        <RelativeTime at={procedure.updated_at} />
      </p>
    </li>
  )
}

function Examples() {
  const items = useQuery(examplesQuery).data?.items ?? []
  const navigate = useNavigate()
  const change = useProcedureChange<{ procedure: Procedure }>({ told: true })
  if (items.length === 0) return null
  return (
    <Section title={t('procedures.examples')}>
      <p className="text-muted mb-2 max-w-prose text-sm">{t('procedures.examples_text')}</p>
      <Panel>
        <ul className="divide-line divide-y">
          {items.map(({ example, name, description }) => (
            <li key={example} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5">
              <div className="min-w-0 flex-1 basis-60">
                <p className="font-medium">{name}</p>
                <p className="text-muted text-sm">{description}</p>
              </div>
              <Button
                size="sm"
                icon={Plus}
                aria-label={t('procedures.example_add_named', { name })}
                disabled={change.isPending}
                onClick={() =>
                  change.mutate({
                    run: () => call('POST /api/procedures/examples', { body: { example } }),
                    after: ({ procedure }) =>
                      void navigate({ to: '/procedures/$id', params: { id: procedure.procedure_id } }),
                  })
                }
              >
                {t('procedures.example_add')}
              </Button>
            </li>
          ))}
        </ul>
      </Panel>
    </Section>
  )
}
